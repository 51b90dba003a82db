// The tree has no barrier.
// task: row_scaling_dots
// refused by: emulator
// hazards: race
// says: partial\[t\] = sum;.?\) writes what line \d+ .* is missing between
// change of: 06-tree-barrier-after-each-step
@@
-        __syncthreads();
