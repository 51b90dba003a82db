# The prediction has a billion bits.
# answer: 00-blocks
# says: Your prediction, an int, is not right
blocks = 1 << (1 << 30)
