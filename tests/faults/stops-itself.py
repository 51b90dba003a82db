# The script stops its process, which then answers nothing.
# answer: 00-candidate
# says: Nothing came back within .* a loop that never ends
import os
import signal

os.kill(os.getpid(), signal.SIGSTOP)
