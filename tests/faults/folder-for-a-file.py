# A folder is in place of the notebook.
# costs: everything
# says: is not a regular file: hand in the file that Jupyter saved
from pathlib import Path


def damage(notebook: Path) -> None:
    notebook.unlink()
    notebook.mkdir()
