# The script deletes the course, what was handed in and the gradebook.
# answer: 00-candidate
# says: OSError: .* Read-only file system
import shutil
from pathlib import Path

import course

package = Path(course.__file__).parent
for folder in (package, package.parent / "autograder", package.parent / "grading", Path("grading")):
    shutil.rmtree(folder)
