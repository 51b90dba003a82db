# The file's JSON is nested a million times.
# costs: everything
# says: cannot be read because it is not a notebook: hand in the file that Jupyter saved
from pathlib import Path


def damage(notebook: Path) -> None:
    notebook.write_text(1_000_000 * "[")
