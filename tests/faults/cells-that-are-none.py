# The notebook's cells are numbers.
# costs: everything
# says: The answer cell 00-\w+ is missing from the submission
from pathlib import Path


def damage(notebook: Path) -> None:
    notebook.write_text('{"cells": [1, 2], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
