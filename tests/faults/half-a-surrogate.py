# The answer contains half of a surrogate pair, which no UTF-8 file can contain.
# costs: 00-blocks
# says: has characters that cannot be stored as text: type these characters again


def edit(notebook, answers):
    answers["00-blocks"]["source"] = "blocks = 3907  # \ud800"
