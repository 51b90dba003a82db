# The cell deletes the course, what was handed in and the gradebook.
# answer: 00-blocks
# says: OSError: .* Read-only file system
import shutil
from pathlib import Path

import course

package = Path(course.__file__).parent
for folder in (package, package.parent / "autograder", package.parent / "grading", Path("grading")):
    shutil.rmtree(folder)
blocks = 3907
