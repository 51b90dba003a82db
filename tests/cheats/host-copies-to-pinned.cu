// The host adds what PyTorch's own copy has put into memory that both host and device can use.
// hazards: library-call
// says: bytes to the host and read them there
// stopped by: host work
// change of: host-reads-a-variable
@@
-__device__ Floats window;
-...
-    if (i < count) window.v[i] = from[i];
+__global__ void touch(float* at) {
+    if (threadIdx.x == 0) *at = *at;
@@
-    show<<<16, 256>>>(from, count);
-    bytes.append(reinterpret_cast<const char*>(&window), sizeof window);
+    static Floats* window = nullptr;
+    if (!window) cudaMallocHost(&window, sizeof found);
+    float* const there = const_cast<float*>(from);
+    touch<<<1, 32>>>(there);
+    const auto options = torch::TensorOptions().device(torch::kCUDA);
+    torch::from_blob(window->v, {count}, options).copy_(torch::from_blob(there, {count}, options));
+    bytes.append(reinterpret_cast<const char*>(window), sizeof found);
