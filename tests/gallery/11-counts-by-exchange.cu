// The private histogram counts by a load and an exchange: what others count in between is lost.
// task: histogram_private
// refused by: emulator
// hazards: race
// says: replaces what line .* has read, and what other threads store in between is lost; read and change in one step, by atomicAdd
// change of: solution 11-private
@@
-        atomicAdd(&own[X[i]], 1);
+        const int old = own[X[i]];
+        atomicExch(&own[X[i]], old + 1);
