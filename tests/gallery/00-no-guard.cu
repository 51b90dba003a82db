// There is no guard, so the threads of the last block that have no element write to memory anyway.
// refused by: emulator
// hazards: out-of-bounds
// says: a kernel wrote elements past the end of the new tensor .* is the guard missing
// change of: 00-blocks-too-far-apart
@@
-    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
-...
-    }
+    int i = blockIdx.x * blockDim.x + threadIdx.x;
+    C[i] = A[i] + B[i];
