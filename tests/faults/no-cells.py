# A notebook without cells was handed in.
# costs: everything
# says: The answer cell 00-\w+ is missing from the submission
import json
from pathlib import Path


def damage(notebook: Path) -> None:
    data = json.loads(notebook.read_text())
    data["cells"] = []
    notebook.write_text(json.dumps(data))
