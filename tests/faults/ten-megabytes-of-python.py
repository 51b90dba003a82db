# The answer has ten megabytes of additions.
# costs: 00-blocks
# says: has 10,000,0.. characters, but at most 100,000 are allowed


def edit(notebook, answers):
    answers["00-blocks"]["source"] = "blocks = 1" + 2_500_000 * " + 1"
