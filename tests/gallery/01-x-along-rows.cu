// x counts the rows of B, so neighbouring threads of a warp read addresses that are a row apart.
// says: Let neighbouring threads of a warp access neighbouring elements
// change of: 01-blocks-exchanged
@@
-constexpr int kColumns = 32;  // threads of a block along a row: one warp
-constexpr int kRows = 8;      // rows of a block
+constexpr int kColumns = 32;  // threads of a block in x: one warp
+constexpr int kRows = 8;      // and in y
@@
-    const int64_t j = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;  // column of B and C
-    const int64_t i = static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;  // row of B and C
+    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;  // row of B and C
+    const int64_t j = static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;  // column of B and C
@@
 torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
+    course::check_inputs({{A, "A"}, {B, "B"}}, torch::kFloat32);
+    course::check_dim({B, "B"}, 2);
+    course::check_shape({A, "A"}, {B.size(0)});
@@
-    const dim3 blocks(course::cdiv(M, kRows), course::cdiv(N, kColumns));
+    const dim3 blocks(course::cdiv(M, kColumns), course::cdiv(N, kRows));
