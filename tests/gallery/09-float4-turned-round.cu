// The four elements of a float4 of B are stored in reverse order.
// task: fast_matmul_whole_tiles
// says: float4 of B go to the wrong k
// change of: solution 09-wide
@@
-        Bs[k_B][j_B] = b4.x;
-...
-        Bs[k_B + 3][j_B] = b4.w;
+        Bs[k_B][j_B] = b4.w;
+        Bs[k_B + 1][j_B] = b4.z;
+        Bs[k_B + 2][j_B] = b4.y;
+        Bs[k_B + 3][j_B] = b4.x;
