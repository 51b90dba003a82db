# A prediction that contains itself.
# answer: 00-blocks
# says: Your prediction, .* is not right
blocks = []
blocks.append(blocks)
