// A slow kernel whose loads the tracer does not count: it copies with the tracer's own function, by another name.
// question: 03-along-i-sectors-check
// says: 'weakref' may hide what a kernel does to memory
// stopped by: traceable source
// change of: mangled-name
@@
-extern "C" void _ZN8emulator13copy_untracedEPvPKvm(void* to, const void* from, size_t bytes);
+static void fetch(void* to, const void* from, size_t bytes)
+    __attribute__((weakref("_ZN8emulator13copy_untracedEPvPKvm")));
@@
-            _ZN8emulator13copy_untracedEPvPKvm(&b, &B[j * K + k], sizeof b);
+            fetch(&b, &B[j * K + k], sizeof b);
