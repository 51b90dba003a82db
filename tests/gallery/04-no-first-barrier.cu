// The barrier after the loads is missing, so a thread may use elements that are not stored yet.
// task: tiled_matmul
// refused by: emulator
// hazards: race
// says: a __syncthreads\(\) is missing between line 21 and line 23
// first attempt: 04 tile of B, yes
// change of: 04-no-second-barrier
@@
-#define TILE 16
+#define TILE 32
@@
-        __syncthreads();
@@
         }
+        __syncthreads();
