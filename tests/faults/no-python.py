# The cell is not Python.
# costs: 00-blocks
# says: SyntaxError: '\(' was never closed \(line 1 of the answer:


def edit(notebook, answers):
    answers["00-blocks"]["source"] = "blocks = (1_000_003 + 255 // 256"
