// The host adds what a kernel has left in shared memory. The C++ library reads it there, without a hook.
// says: elements of the output are wrong
// stopped by: cleared shared memory
// change of: host-reads-a-variable
@@
-__device__ Floats window;
-
 __global__ void show(const float* from, int count) {
+    extern __shared__ float window[];
-    const int i = blockIdx.x * blockDim.x + threadIdx.x;
-    if (i < count) window.v[i] = from[i];
+    for (int i = threadIdx.x; i < count; i += 256) window[i] = from[i];
@@
-    show<<<16, 256>>>(from, count);
-    bytes.append(reinterpret_cast<const char*>(&window), sizeof window);
+    show<<<1, 256, sizeof found>>>(from, count);
+    bytes.append(emulator::shared_memory, sizeof found);
