# The notebook has the format of 2013.
# costs: everything
# says: cannot be read, since it is not a notebook: hand in the file that Jupyter saved
import json
from pathlib import Path


def damage(notebook: Path) -> None:
    data = json.loads(notebook.read_text())
    data = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": data["cells"]}]}
    notebook.write_text(json.dumps(data))
