# The answer has ten megabytes of comments.
# costs: 00-add
# says: has 10,000,0.. characters, but at most 100,000 are allowed


def edit(notebook, answers):
    answers["00-add"]["source"] = "%%cuda adder\n" + 200_000 * "// padding, padding, padding, padding, padding, p\n"
