# The file ends in the middle.
# costs: everything
# says: cannot be read because it is not a notebook: hand in the file that Jupyter saved
from pathlib import Path


def damage(notebook: Path) -> None:
    text = notebook.read_text()
    notebook.write_text(text[: len(text) // 2])
