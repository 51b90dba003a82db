# The answer to one question is handed in for another, whose locked cell is edited to ask the first question.
# question: 00-clinic-check
# says: Your prediction, 3907, is not right
# stopped by: text of the answers alone
def edit(notebook):
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if name == "00-clinic":
            cell.source = "diagnosis = (1_000_003 + 255) // 256"
        elif name == "00-clinic-check":
            cell.metadata.course = {**cell.metadata.course, "task": "first_kernel_blocks"}
