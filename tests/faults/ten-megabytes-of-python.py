# The answer has ten megabytes of additions.
# costs: 00-blocks
# says: has 10,000,0.. characters, but at most 100,000 are allowed
import json
from pathlib import Path


def damage(notebook: Path) -> None:
    data = json.loads(notebook.read_text())
    [cell] = [each for each in data["cells"] if each["metadata"].get("nbgrader", {}).get("grade_id") == "00-blocks"]
    cell["source"] = "blocks = 1" + 2_500_000 * " + 1"
    notebook.write_text(json.dumps(data))
