# A link to the solutions lies where the notebook should.
# costs: everything
# says: is a link: hand in the file itself
from pathlib import Path


def damage(notebook: Path) -> None:
    notebook.unlink()
    notebook.symlink_to(notebook.parents[4] / "solutions" / notebook.parent.name / notebook.name)
