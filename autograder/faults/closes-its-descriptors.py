# The cell closes every file of its process, the judge's channel among them.
# answer: 00-blocks
# says: The process that ran the code (was ended by SIGKILL|ended by itself)
import os

os.closerange(0, 1000)
blocks = None
