// The host adds what a kernel has stored in the host's memory. The C++ library reads it there, without a hook.
// hazards: library-call
// says: The wrapper copied 160,088 bytes to the host and read them there
// stopped by: host work
// change of: host-reads-a-variable
@@
-__device__ Floats window;
-
-__global__ void show(const float* from, int count) {
+__global__ void show(Floats* window, const float* from, int count) {
     const int i = blockIdx.x * blockDim.x + threadIdx.x;
-    if (i < count) window.v[i] = from[i];
+    if (i < count) window->v[i] = from[i];
@@
-    show<<<16, 256>>>(from, count);
-    bytes.append(reinterpret_cast<const char*>(&window), sizeof window);
+    static Floats* window = nullptr;
+    if (!window) cudaMallocHost(&window, sizeof found);
+    show<<<16, 256>>>(window, from, count);
+    bytes.append(reinterpret_cast<const char*>(window), sizeof found);
