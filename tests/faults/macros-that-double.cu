// A macro is so large that the compiler runs out of memory.
// answer: 00-add
// says: The compiler ran into a limit \(.*\): look for an array, a macro, a template or an included file that is far too large
// change of: array-of-a-terabyte
@@
-char table[1ull << 40] = {1};
+#define FOUR(x) x x x x
+#define MANY(x) FOUR(FOUR(FOUR(FOUR(x))))
+#define TOO_MANY(x) MANY(MANY(MANY(MANY(x))))
+const int sum = 0 TOO_MANY(+1);
