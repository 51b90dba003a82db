// The keys are added up in place of the values.
// task: attention
// says: K is used in place of V in the sum of the values
// change of: solution 10-stream
@@
-        const float4* v = V + (head + j) * kFours;
+        const float4* v = K + (head + j) * kFours;
