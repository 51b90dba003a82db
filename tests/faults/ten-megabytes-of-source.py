# The answer has ten megabytes of comments.
# costs: 00-add
# says: has 10,000,0.. characters, but at most 100,000 are allowed
import json
from pathlib import Path


def damage(notebook: Path) -> None:
    data = json.loads(notebook.read_text())
    [cell] = [each for each in data["cells"] if each["metadata"].get("nbgrader", {}).get("grade_id") == "00-add"]
    cell["source"] = "%%cuda adder\n" + 200_000 * "// padding, padding, padding, padding, padding, p\n"
    notebook.write_text(json.dumps(data))
