// The private histogram counts by += instead of an atomic operation.
// task: histogram_private
// refused by: emulator
// hazards: race
// says: a race on the shared array own.* give each element to one thread, or use atomicAdd
// change of: solution 11-private
@@
-        atomicAdd(&own[X[i]], 1);
+        own[X[i]] += 1;
