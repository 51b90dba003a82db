# The cell's error message has 64 MB.
# answer: 00-blocks
# says: ValueError: x{100}
raise ValueError("x" * (64 << 20))
