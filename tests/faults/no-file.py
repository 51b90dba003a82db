# A file other than the notebook was handed in.
# costs: everything
# says: There is no 00-first-kernel\.ipynb in the submission\. The submission has Untitled\.ipynb instead
from pathlib import Path


def damage(notebook: Path) -> None:
    notebook.rename(notebook.with_name("Untitled.ipynb"))
