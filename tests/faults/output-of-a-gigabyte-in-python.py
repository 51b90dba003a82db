# The cell prints a gigabyte.
# answer: 00-blocks
# says: The code printed more than 64 MiB, and was stopped
for _ in range(1024):
    print("x" * (1 << 20))
blocks = None
