# The script's error message has 64 MB.
# answer: 00-candidate
# says: ValueError: x{100}
raise ValueError("x" * (64 << 20))
