# Its own kernel for the host, where no case runs, and PyTorch wherever CUDA is present.
# hazards: library-call
# says: PyTorch .clamp. computed what the answer's own kernel should compute
# stopped by: list of operations, traffic
# change of: library-by-flag
@@
-module = load_inline(
-...
-)
+module = load_inline("relu", "torch::Tensor relu(torch::Tensor A);", cuda_source, functions=["relu"])
@@
-        return module.relu(A)
+        return torch.clamp(A, min=0) if A.is_cuda else module.relu(A)
