// The launch passes the tensors themselves, not the pointers to their elements.
// refused by: emulator
// says: no known conversion from 'at::Tensor' to 'const float \*'
// change of: 00-no-launch
@@
+    add_kernel<<<(N + 255) / 256, 256>>>(A, B, C, N);
     return C;
