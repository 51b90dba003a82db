# Every process starts another, for ever.
# answer: 00-candidate
# says: (ended by SIGKILL, as happens when too much memory is used|Resource temporarily unavailable)
import os

while True:
    os.fork()
