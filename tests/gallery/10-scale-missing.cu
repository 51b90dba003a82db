// The scores are not divided by the square root of their 64 terms.
// task: attention
// says: The scores are not divided by 8, the square root of the 64 terms of each
// change of: solution 10-stream
@@
-    scale(q, kScale);
