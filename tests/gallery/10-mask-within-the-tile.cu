// The mask compares a key's place in its tile, not its number, with the query's place in its block.
// task: attention_causal_any
// says: The mask compares key and query within their tiles: add the number of the tile's first key
// change of: solution 10-causal
@@
-                s[j] = j0 + c + j <= i ? dot(q, Ks[c + j]) : -INFINITY;
+                s[j] = c + j <= threadIdx.x ? dot(q, Ks[c + j]) : -INFINITY;
