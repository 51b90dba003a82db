// The host adds what a thread has left on its stack, where eight bytes that it copied say.
// says: elements of the output are wrong
// stopped by: cleared stacks
// change of: host-reads-a-variable
@@
-__device__ Floats window;
-...
-    if (i < count) window.v[i] = from[i];
+__global__ void show(const float* from, int count, volatile float** where) {
+    volatile float here[16384];
+    for (int i = 0; i < count; i++) here[i] = from[i];
+    *where = here;
@@
-    std::string bytes;
-...
-    memcpy(&found, bytes.data(), sizeof found);
+    static float *window = nullptr, **where = nullptr;
+    if (!where) cudaMalloc(&where, sizeof *where);
+    show<<<1, 1>>>(from, count, const_cast<volatile float**>(where));
+    if (!window) cudaMemcpy(&window, where, sizeof window, cudaMemcpyDeviceToHost);
+    memcpy(&found, window, sizeof found);
