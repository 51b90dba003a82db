# A loop of a prediction never ends.
# answer: 00-blocks
# says: Nothing came back within .* a loop that never ends
blocks = 0
while blocks * 256 < 1_000_003:
    blocks = blocks * 2
