// The factor is computed after the maximum has changed, so it is always 1.
// task: attention
// says: Neither sum is rescaled when the maximum grows: compute the factor exp\(old maximum - new maximum\) before
// change of: solution 10-stream
@@
+        max = highest;
         const float keep = expf(max - highest);
@@
-        max = highest;
