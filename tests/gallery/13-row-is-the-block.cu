// All warps of a block have the row with the number of the block.
// task: softmax_by_warp
// says: blocks of 128 threads, .* in all, but they stored only .* different elements: element 0 of Y was stored by 4 threads
// change of: solution 13-warp
@@
-    const int64_t row = static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / kWarp;  // tl.program_id(0)
+    const int64_t row = blockIdx.x;
