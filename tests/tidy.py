"""`python -m tests.tidy NOTEBOOK ...`: keeps, of each notebook of `solutions/`, only what its author wrote.

JupyterLab also saves outputs, counts, times and its versions. Without these, a diff is readable.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat

OF_CELLS = ("nbgrader", "course", "tags", "jupyter")
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {
        "file_extension": ".py", "mimetype": "text/x-python", "name": "python", "pygments_lexer": "ipython3",
    },
}  # fmt: skip


def tidy(path: Path) -> None:
    """Rewrite the notebook in `path`."""
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = {key: value for key, value in cell.metadata.items() if key in OF_CELLS}
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        tidy(Path(name))
