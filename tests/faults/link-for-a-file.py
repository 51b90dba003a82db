# A link to the solutions is in place of the notebook.
# costs: everything
# says: is a link: hand in the file itself
from pathlib import Path


def damage(notebook: Path) -> None:
    notebook.unlink()
    notebook.symlink_to(notebook.parents[4] / "solutions" / notebook.parent.name / notebook.name)
