// Every head uses the keys and values of the first head.
// task: attention
// says: All heads use the keys and values of head 0
// change of: solution 10-stream
@@
-        const float score = dot(q, K + (head + j) * kFours);
-        const float4* v = V + (head + j) * kFours;
+        const float score = dot(q, K + j * kFours);
+        const float4* v = V + j * kFours;
