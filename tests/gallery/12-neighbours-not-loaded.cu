// Nobody loads the two neighbours of the tile.
// task: moving_average
// refused by: emulator
// hazards: uninitialised-read
// says: reads the shared array tile where nothing was written before.* is it filled everywhere
// change of: solution 12-barriers
@@
-        if (t == 0) {
-...
-            tile[kThreads + 1] = j + 1 < N ? B[j + 1] : 0.0f;
-        }
