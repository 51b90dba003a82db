# No answer to one question, and another question's locked cell is edited to give a hundred points.
# question: 00-clinic-check
# says: Your prediction, nothing .None., is not right
# stopped by: text of the answers alone
def edit(notebook):
    for cell in notebook.cells:
        tags = cell.metadata.get("nbgrader", {})
        if tags.get("grade_id") == "00-clinic":
            cell.source = "diagnosis = None"
        elif tags.get("grade_id") == "00-blocks-check":
            tags["points"], tags["locked"] = 100, False
            cell.source = "100.0"
