# The script ends its process, with status 0.
# answer: 00-candidate
# says: ended by itself with exit status 0
import os

os._exit(0)
