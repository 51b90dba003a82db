"""Sphinx's settings for `make book`, which copies this folder and notebooks/ into one folder and renders them."""

import os

from docutils import nodes
from sphinx.application import Sphinx

project = "CUDA kernels for PyTorch"
extensions = ["myst_nb"]
html_theme = "furo"
html_title = project
html_show_sphinx = html_show_copyright = html_copy_source = False
repository = os.environ.get("GITHUB_REPOSITORY")  # in a workflow
get = f'<a href="https://github.com/{repository}#readme">Get the course</a>' if repository else "Get the course"
html_theme_options = {"announcement": f"Exercises without answers. {get}."}

nb_execution_mode = "force"  # what cells print also depends on the course, so nothing is kept
nb_execution_timeout = 900
nb_execution_raise_on_error = True
nb_execution_show_tb = True
suppress_warnings = ["mystnb.unknown_mime_type"]  # the marks for the editor


def show(app: Sphinx, document: nodes.document) -> None:
    """Colour CUDA cells as C++, and hide the verdicts on answers that nobody has given."""
    for cell in document.findall(nodes.container):
        if cell.get("nb_element") != "cell_code":
            continue
        source = cell[0]
        for code in source.findall(nodes.literal_block):
            if code.astext().startswith("%%cuda"):
                code["language"] = "cuda"
        if cell["cell_metadata"].get("nbgrader", {}).get("grade"):
            del cell[1:]


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", show)
