// The host adds what a kernel has stored among its own parameters.
// hazards: out-of-bounds
// says: writes an address outside of all tensors
// stopped by: read-only parameters
// change of: host-reads-a-variable
@@
-__device__ Floats window;
-...
-    if (i < count) window.v[i] = from[i];
+struct Parameters {
+    const float* from;
+    int count;
+    Floats to;
+};
+namespace emulator {
+extern char kernel_parameters[];
+}
+static void show(void* parameters) {
+    auto* p = static_cast<Parameters*>(parameters);
+    for (int i = threadIdx.x; i < p->count; i += 256) p->to.v[i] = p->from[i];
@@
-    Floats found;
-...
-    return found;
+    Parameters p{from, count};
+    const void* none[] = {nullptr};
+    emulator::launch("show", nullptr, emulator::Config(1, 256), show, &p, sizeof p, none, 0);
+    return reinterpret_cast<Parameters*>(emulator::kernel_parameters)->to;
