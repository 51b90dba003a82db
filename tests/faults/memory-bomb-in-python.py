# A text takes more and more memory.
# answer: 00-blocks
# says: (ended by SIGKILL, as happens when too much memory is used|MemoryError)
kept = b"x" * (1 << 20)
while True:
    kept = kept + kept
