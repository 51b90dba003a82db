// The sum of the exponentials is not rescaled when a larger maximum is found.
// task: softmax
// says: The sum is not rescaled when the maximum grows
// change of: solution 08-online
@@
-        part = joined(part, {row[j], 1.0f});
+        const float max = fmaxf(part.max, row[j]);
+        part = {max, part.sum + expf(row[j] - max)};
