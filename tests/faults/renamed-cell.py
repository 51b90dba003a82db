# The answer's cell has another grade_id.
# costs: nothing
# says: The answer cell 00-add had lost its name, and was found by what it defines
import json
from pathlib import Path


def damage(notebook: Path) -> None:
    data = json.loads(notebook.read_text())
    [cell] = [each for each in data["cells"] if each["metadata"].get("nbgrader", {}).get("grade_id") == "00-add"]
    cell["metadata"]["nbgrader"]["grade_id"] = "00-sum"
    notebook.write_text(json.dumps(data))
