// A type whose name has a million letters stands in a compiler's error.
// answer: 00-add
// says: line \d+: error: no viable conversion from 'Doubled<17>::type'
// change of: array-of-a-terabyte
@@
-char table[1ull << 40] = {1};
+
+template <typename A, typename B>
+struct Pair {};
+
+template <int N>
+struct Doubled {
+    using type = Pair<typename Doubled<N - 1>::type, typename Doubled<N - 1>::type>;
+};
+
+template <>
+struct Doubled<0> {
+    using type = int;
+};
+
+int count = Doubled<17>::type();
