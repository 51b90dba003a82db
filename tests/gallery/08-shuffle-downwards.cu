// After __shfl_down_sync, only lane 0 has the part of the warp, but all lanes use theirs.
// task: softmax_repaired
// says: Every lane of a warp needs the result, but only lane 0 has it
// change of: solution 08-repair
@@
-        const float max = __shfl_xor_sync(kAll, part.max, offset);
-        const float sum = __shfl_xor_sync(kAll, part.sum, offset);
+        const float max = __shfl_down_sync(kAll, part.max, offset);
+        const float sum = __shfl_down_sync(kAll, part.sum, offset);
