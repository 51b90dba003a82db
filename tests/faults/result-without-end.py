# The prediction contains itself.
# answer: 00-blocks
# says: Your prediction, .* is not right
blocks = [None]
blocks[0] = blocks
