# The file has ten gigabytes, all of them nothing.
# costs: everything
# says: is larger than 64 MiB: clear its outputs
from pathlib import Path


def damage(notebook: Path) -> None:
    with notebook.open("w") as file:
        file.truncate(10 << 30)
