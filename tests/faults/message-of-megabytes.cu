// The wrapper's error message has 64 MB.
// answer: 00-add
// says: The call raised RuntimeError: x{100}
// change of: array-of-a-terabyte
@@
-char table[1ull << 40] = {1};
+#include <string>
@@
+    TORCH_CHECK(A.numel() == 0, std::string(64 << 20, 'x'));
     auto C = torch::empty_like(A);
