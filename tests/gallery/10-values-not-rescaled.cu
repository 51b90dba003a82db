// The sum of the exponentials is rescaled when the maximum grows, but the sum of the values is not.
// task: attention
// says: The sum of the values is not rescaled when the maximum grows: multiply it by exp\(old maximum - new maximum\)
// change of: solution 10-stream
@@
-        scale(out, keep);
