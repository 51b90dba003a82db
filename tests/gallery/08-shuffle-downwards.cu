// After __shfl_down_sync, only lane 0 has the part of the warp, but all lanes use theirs.
// task: softmax_repaired
// refused by: emulator, nvcc
// says: Every lane of a warp needs the result, but only lane 0 has it
// change of: 08-part-of-infinities
@@
-        const float max = __shfl_xor_sync(kAll, part.max, offset);
-        const float sum = __shfl_xor_sync(kAll, part.sum, offset);
+        const float max = __shfl_down_sync(kAll, part.max, offset);
+        const float sum = __shfl_down_sync(kAll, part.sum, offset);
@@
-        const float max = largest(a);
+        const float max = fmaxf(largest(a), -FLT_MAX);  // for elements that are all -inf
