# The answer's cell was deleted.
# costs: 00-add
# says: The answer cell 00-add is missing from the submission


def edit(notebook, answers):
    notebook["cells"].remove(answers["00-add"])
