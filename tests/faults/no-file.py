# A file other than the notebook was handed in.
# costs: nothing
# says: The notebook was found as Untitled\.ipynb in the submission
from pathlib import Path


def damage(notebook: Path) -> None:
    notebook.rename(notebook.with_name("Untitled.ipynb"))
