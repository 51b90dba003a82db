# The script kills the process that started it, and asks its own to end.
# answer: 00-candidate
# says: The process that ran the code was ended by SIG(TERM|KILL)
import contextlib
import os
import signal
import time

with contextlib.suppress(PermissionError):
    os.kill(os.getppid(), signal.SIGKILL)
os.kill(os.getpid(), signal.SIGTERM)
time.sleep(1)
