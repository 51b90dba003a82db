# The answer's source is a number, not text.
# costs: 00-add
# says: The answer cell 00-add is missing from the submission


def edit(notebook, answers):
    answers["00-add"]["source"] = 3907
