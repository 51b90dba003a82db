# Sends a pickle that runs code when it is loaded, in place of a reply.
# hazards: crash
# says: sent something that is not a reply, and was stopped
# change of: forged-reply
@@
-import json
@@
 import os
+import pickle
@@
-data = json.dumps({"result": None, "inputs": [], "library_calls": [], "traffic": [], "correct": True}).encode()
+
+class Patch:
+    def __reduce__(self):
+        return eval, ("{'correct': True}",)
+
+
+data = pickle.dumps(Patch())
