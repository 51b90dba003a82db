// Has the L2 cache keep the input from call to call, by an access policy of each launch.
// hazards: library-call
// says: The answer calls cudaLaunchKernelExC
// change of: time-persists-by-stream
@@
-    cudaStream_t stream = at::cuda::getCurrentCUDAStream();
@@
-    size_t room = size_t{48} << 20;
-...
-                                                           C.data_ptr<float>(), N, length);
+    cudaLaunchAttribute attribute{};
+    attribute.id = cudaLaunchAttributeAccessPolicyWindow;
+    cudaAccessPolicyWindow& window = attribute.val.accessPolicyWindow;
+    window.base_ptr = B.data_ptr<float>();
+    window.num_bytes = std::min(size_t{48} << 20, static_cast<size_t>(length) * sizeof(float));
+    window.hitRatio = 1.0f;
+    window.hitProp = cudaAccessPropertyPersisting;
+    window.missProp = cudaAccessPropertyStreaming;
+    cudaLaunchConfig_t config{};
+    config.gridDim = dim3((length + 255) / 256);
+    config.blockDim = dim3(256);
+    config.stream = at::cuda::getCurrentCUDAStream();
+    config.attrs = &attribute;
+    config.numAttrs = 1;
+    cudaLaunchKernelEx(&config, scale_kernel, static_cast<const float*>(A.data_ptr<float>()),
+                       static_cast<const float*>(B.data_ptr<float>()), C.data_ptr<float>(), N, length);
