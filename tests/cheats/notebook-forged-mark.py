# No answer to one question, and an output that shows its full mark.
# question: 00-blocks-check
# says: Your prediction, nothing .None., is not right
# stopped by: answers judged afresh
from nbformat.v4 import new_output


def edit(notebook):
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if name == "00-blocks":
            cell.source = "blocks = None"
        elif name == "00-blocks-check":
            cell.outputs = [new_output("execute_result", {"text/plain": "1.0", "text/html": "<b>1 of 1 points</b>"})]
