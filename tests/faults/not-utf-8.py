# The file is not UTF-8.
# costs: everything
# says: cannot be read, since it is not UTF-8 text
from pathlib import Path


def damage(notebook: Path) -> None:
    text = notebook.read_text().replace("prediction", "prédiction")
    notebook.write_bytes(text.encode("latin-1", "replace"))
