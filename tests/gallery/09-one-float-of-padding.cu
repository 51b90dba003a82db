// The rows of Bs are padded by one float, so not all of them begin at a multiple of 16 bytes.
// task: fast_matmul_whole_tiles
// refused by: emulator
// hazards: misaligned
// says: a vector access to an address that is not a multiple of its size
// change of: 09-float4-turned-round
@@
-        Bs[k_B][j_B] = b4.w;
-        Bs[k_B + 1][j_B] = b4.z;
-        Bs[k_B + 2][j_B] = b4.y;
-        Bs[k_B + 3][j_B] = b4.x;
+        Bs[k_B][j_B] = b4.x;
+        Bs[k_B + 1][j_B] = b4.y;
+        Bs[k_B + 2][j_B] = b4.z;
+        Bs[k_B + 3][j_B] = b4.w;
@@
-torch::Tensor padded(torch::Tensor A, torch::Tensor B) { return launch<kVector>(A, B); }
+torch::Tensor padded(torch::Tensor A, torch::Tensor B) { return launch<1>(A, B); }
