# A named pipe is in place of the notebook: reading it would wait for ever.
# costs: everything
# says: is not a regular file: hand in the file that Jupyter saved
import os
from pathlib import Path


def damage(notebook: Path) -> None:
    notebook.unlink()
    os.mkfifo(notebook)
