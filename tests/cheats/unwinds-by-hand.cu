// A slow kernel whose loads are not counted: it has the unwinder read them as parts of a context.
// hazards: crash
// says: a kernel called _Unwind_GetLanguageSpecificData, which is a host function
// stopped by: host functions
// change of: pasted-assembly
@@
-#define PASTED(a, b) a##b
-...
-}
+extern "C" uint64_t _Unwind_GetLanguageSpecificData(const void* context);
+__device__ float fetch(const float* from) {
+    const auto context = reinterpret_cast<const char*>(from) - 160;
+    return __uint_as_float(static_cast<unsigned>(_Unwind_GetLanguageSpecificData(context)));
+}
