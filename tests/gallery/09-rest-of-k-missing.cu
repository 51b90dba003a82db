// Only whole steps of 8 values of k are multiplied.
// task: fast_matmul
// says: The last K % 8 terms of each sum are missing
// change of: solution 09-shape
@@
-    // The last K % kDepth values of k are too few for a step.
-...
-    }
