# The answer's cell was turned into Markdown.
# costs: nothing
# says: The answer cell 00-add was turned into a markdown cell
import json
from pathlib import Path


def damage(notebook: Path) -> None:
    data = json.loads(notebook.read_text())
    [cell] = [each for each in data["cells"] if each["metadata"].get("nbgrader", {}).get("grade_id") == "00-add"]
    cell["cell_type"] = "markdown"
    notebook.write_text(json.dumps(data))
