# The prediction does not have the name that the question asks for.
# answer: 00-blocks
# says: The cell does not define blocks
block = (1_000_003 + 255) // 256
