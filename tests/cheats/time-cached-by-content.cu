// Computes once for the values of a few elements of its inputs, and copies that result when they are the same again.
// says: elements of the output are wrong
// change of: time-cached-by-pointer
@@
-    static std::map<std::array<int64_t, 3>, torch::Tensor> kept;
-    // PyTorch begins a tensor at a multiple of 64 bytes, so the third call at the latest has an offset seen before.
-    const std::array<int64_t, 3> key{reinterpret_cast<int64_t>(A.data_ptr<float>()) % 128, M, N};
+    static std::map<std::array<float, 4>, torch::Tensor> kept;
+    std::array<float, 4> key{};
+    if (K) {
+        cudaMemcpy(&key[0], A.data_ptr<float>(), 4, cudaMemcpyDeviceToHost);
+        cudaMemcpy(&key[1], A.data_ptr<float>() + K * M - 1, 4, cudaMemcpyDeviceToHost);
+        cudaMemcpy(&key[2], B.data_ptr<float>(), 4, cudaMemcpyDeviceToHost);
+        cudaMemcpy(&key[3], B.data_ptr<float>() + N * K - 1, 4, cudaMemcpyDeviceToHost);
+    }
