// The module would fill the disk.
// answer: 00-add
// says: The compiler ran into a limit \(.*\): look for an array, a macro, a template or an included file that is far too large
// change of: include-without-end
@@
-#include "/dev/zero"
+
+char table[1ull << 40] = {1};
