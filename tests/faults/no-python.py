# The cell is not Python.
# costs: 00-blocks
# says: SyntaxError: '\(' was never closed \(line 1 of the answer:
import json
from pathlib import Path


def damage(notebook: Path) -> None:
    data = json.loads(notebook.read_text())
    [cell] = [each for each in data["cells"] if each["metadata"].get("nbgrader", {}).get("grade_id") == "00-blocks"]
    cell["source"] = "blocks = (1_000_003 + 255 // 256"
    notebook.write_text(json.dumps(data))
