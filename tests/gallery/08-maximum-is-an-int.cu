// The maximum that a shuffle returns is converted to an integer.
// task: softmax
// says: makes max an integer: is a fraction cut off|invalid narrowing conversion from "int" to "float"
// change of: solution 08-online
@@
-        const float max = __shfl_xor_sync(kAll, part.max, offset);
+        const int max = __shfl_xor_sync(kAll, part.max, offset);
