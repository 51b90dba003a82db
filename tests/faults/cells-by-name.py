# The notebook's cells are not in a list.
# costs: everything
# says: cannot be read, since it is not a notebook: hand in the file that Jupyter saved
from pathlib import Path


def damage(notebook: Path) -> None:
    notebook.write_text('{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": {"a": 1}}')
