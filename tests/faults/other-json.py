# The file is JSON, but not a notebook.
# costs: everything
# says: cannot be read, since it is not a notebook: hand in the file that Jupyter saved
from pathlib import Path


def damage(notebook: Path) -> None:
    notebook.write_text('["cells"]')
