// Each thread computes four elements, but the last, partial chunk of 1024 elements is left out.
// hazards: bad-launch
// says: the last, partial block is missing, since the number of blocks was rounded down instead of up
// change of: 02-loads-side-by-side
@@
-        if (first + k < n) a[k] = A[first + k];
+        if (first + k * kThreads < n) a[k] = A[first + k * kThreads];
@@
-        if (first + k < n) C[first + k] = a[k] * s;
+        if (first + k * kThreads < n) C[first + k * kThreads] = a[k] * s;
@@
-    scale_kernel<<<(n + kThreads * kLoads - 1) / (kThreads * kLoads), kThreads>>>(A.data_ptr<float>(), s,
-                                                                                   C.data_ptr<float>(), n);
+    scale_kernel<<<n / (kThreads * kLoads), kThreads>>>(A.data_ptr<float>(), s, C.data_ptr<float>(), n);
