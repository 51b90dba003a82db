// The causal mask begins one key too late, so each query also sees the key after its own place.
// task: attention_causal_any
// says: The mask begins one key too late: query i also sees key i \+ 1
// change of: solution 10-causal
@@
-                s[j] = j0 + c + j <= i ? dot(q, Ks[c + j]) : -INFINITY;
+                s[j] = j0 + c + j <= min(i + 1, N - 1) ? dot(q, Ks[c + j]) : -INFINITY;
