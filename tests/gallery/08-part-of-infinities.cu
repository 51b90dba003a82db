// The maximum of four elements that are all -infinity is -infinity, so their sum is NaN.
// task: softmax_repaired
// says: NaN spreads to elements that should not be NaN: .*infinity minus infinity is NaN
// change of: solution 08-repair
@@
-        const float max = fmaxf(largest(a), -FLT_MAX);  // for elements that are all -inf
+        const float max = largest(a);
