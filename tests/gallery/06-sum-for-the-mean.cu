// The second term of dX has the sum over the row in place of the mean.
// task: rms_norm_backward
// says: The second term of dX has the sum over the row in place of the mean: divide by N
// change of: solution 06-norm-backward
@@
-        const float share = r * r * block_sum(products) / N;
+        const float share = r * r * block_sum(products);
