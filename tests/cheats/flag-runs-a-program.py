# A flag that makes the compiler run a program.
# says: a judged answer cannot have the flag '-wrapper': leave it out of extra_cflags
# change of: library-by-flag
@@
-    extra_ldflags=["-lcublas"],
+    extra_cflags=["-wrapper", "sh,-c,touch {outside}.ran"],
