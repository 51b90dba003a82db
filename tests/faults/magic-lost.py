# The cell of a kernel lacks its first line.
# costs: 00-add
# says: The line %%cuda NAME is missing: write it above this CUDA code
import json
from pathlib import Path


def damage(notebook: Path) -> None:
    data = json.loads(notebook.read_text())
    [cell] = [each for each in data["cells"] if each["metadata"].get("nbgrader", {}).get("grade_id") == "00-add"]
    cell["source"] = "".join(cell["source"]).partition("\n")[2]
    notebook.write_text(json.dumps(data))
