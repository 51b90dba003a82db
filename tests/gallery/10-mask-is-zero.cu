// A masked score is 0, not -INFINITY.
// task: attention_causal_any
// says: A masked score is 0, so its exponential counts: it must be -INFINITY
// change of: solution 10-causal
@@
-                s[j] = j0 + c + j <= i ? dot(q, Ks[c + j]) : -INFINITY;
+                s[j] = j0 + c + j <= i ? dot(q, Ks[c + j]) : 0.0f;
