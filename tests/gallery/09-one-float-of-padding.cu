// The rows of Bs are padded by one float, so not all of them begin at a multiple of 16 bytes.
// task: fast_matmul_whole_tiles
// refused by: emulator
// hazards: misaligned
// says: a vector access to an address that is not a multiple of its size
// change of: solution 09-wide
@@
-torch::Tensor padded(torch::Tensor A, torch::Tensor B) { return launch<kVector>(A, B); }
+torch::Tensor padded(torch::Tensor A, torch::Tensor B) { return launch<1>(A, B); }
