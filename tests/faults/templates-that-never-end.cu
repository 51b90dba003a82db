// Templates would keep the compiler busy for years.
// answer: 00-add
// says: (The compiler was stopped after \d+ s|The compiler ran into a limit|The build was stopped, since it takes too long|virtual memory exhausted|out of memory)
// change of: array-of-a-terabyte
@@
-char table[1ull << 40] = {1};
+
+template <int N, long long K>
+struct Sum {
+    static constexpr long long value = Sum<N - 1, 2 * K>::value + Sum<N - 1, 2 * K + 1>::value;
+};
+
+template <long long K>
+struct Sum<0, K> {
+    static constexpr long long value = K;
+};
+
+constexpr long long kSum = Sum<60, 0>::value;
