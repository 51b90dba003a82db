// The mask hides the keys before a query in place of those after it.
// task: attention_causal_any
// says: Query 0 sees all keys of its tile, but may see only key 0: is the mask on the wrong side
// change of: solution 10-causal
@@
-                s[j] = j0 + c + j <= i ? dot(q, Ks[c + j]) : -INFINITY;
+                s[j] = j0 + c + j >= i && j0 + c + j < N ? dot(q, Ks[c + j]) : -INFINITY;
