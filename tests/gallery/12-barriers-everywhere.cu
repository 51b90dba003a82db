// A barrier follows every statement.
// task: moving_average
// says: barriers, but the question asks for tiles .* wait only when the tile is full and before it is overwritten
// change of: solution 12-barriers
@@
+        __syncthreads();
         if (t == 0) {
