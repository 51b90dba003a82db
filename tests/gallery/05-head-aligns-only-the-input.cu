// Scalar code for the first elements aligns the input to 16 bytes, but not the output.
// task: relu
// refused by: emulator
// hazards: misaligned
// says: a vector access to an address that is not a multiple of its size
// change of: 05-tail-missing
@@
-    if (i < N / 4) {
-        float4 a = reinterpret_cast<const float4*>(A)[i];
-        reinterpret_cast<float4*>(C)[i] = make_float4(relu(a.x), relu(a.y), relu(a.z), relu(a.w));
+    int head = (16 - reinterpret_cast<uintptr_t>(A) % 16) % 16 / 4;
+    head = head < N ? head : N;
+    int fours = (N - head) / 4;
+    if (i < head) {
+        C[i] = relu(A[i]);
+    }
+    if (i < fours) {
+        float4 a = reinterpret_cast<const float4*>(A + head)[i];
+        reinterpret_cast<float4*>(C + head)[i] = make_float4(relu(a.x), relu(a.y), relu(a.z), relu(a.w));
+    }
+    if (i < N - head - 4 * fours) {
+        C[head + 4 * fours + i] = relu(A[head + 4 * fours + i]);
