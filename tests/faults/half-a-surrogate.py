# The answer contains half of a surrogate pair, which no UTF-8 file can contain.
# costs: 00-blocks
# says: has characters that cannot be stored as text: type these characters again
import json
from pathlib import Path


def damage(notebook: Path) -> None:
    data = json.loads(notebook.read_text())
    [cell] = [each for each in data["cells"] if each["metadata"].get("nbgrader", {}).get("grade_id") == "00-blocks"]
    cell["source"] = "blocks = 3907  # \ud800"
    notebook.write_text(json.dumps(data))
