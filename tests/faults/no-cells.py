# A notebook without cells was handed in.
# costs: everything
# says: The answer cell 00-\w+ is missing from the submission


def edit(notebook, answers):
    notebook["cells"] = []
