# A recursion of a prediction has no end.
# answer: 00-blocks
# says: RecursionError: maximum recursion depth exceeded
def blocks_of(n):
    return blocks_of(n - 256) + 1


blocks = blocks_of(1_000_003)
