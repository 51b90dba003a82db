# Processes of the cell's own go on when it has ended.
# answer: 00-blocks
# says: Your prediction, nothing .None., is not right
import os

for _ in range(4):
    if os.fork() == 0:
        os.setsid()
        while True:
            pass
blocks = None
