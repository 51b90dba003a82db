# The answer's source is a number, not text.
# costs: 00-add
# says: The answer cell 00-add is missing from the submission
import json
from pathlib import Path


def damage(notebook: Path) -> None:
    data = json.loads(notebook.read_text())
    [cell] = [each for each in data["cells"] if each["metadata"].get("nbgrader", {}).get("grade_id") == "00-add"]
    cell["source"] = 3907
    notebook.write_text(json.dumps(data))
