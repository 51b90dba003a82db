// The copy of B does not use the step, so each step has the first tile of B again.
// task: fast_matmul_whole_tiles
// says: Each step of 8 uses the first tile of B again
// change of: solution 09-pipelined
@@
-                __pipeline_memcpy_async(&Bs[slot][k_B][j], &B[(j0 + j) * K + k0 + k_B], sizeof(float));
+                __pipeline_memcpy_async(&Bs[slot][k_B][j], &B[(j0 + j) * K + k_B], sizeof(float));
@@
-torch::Tensor waiting(torch::Tensor A, torch::Tensor B) { return launch<true>(A, B); }
-
