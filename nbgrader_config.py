"""nbgrader's settings for this course: `nbgrader` and the formgrader read them from the folder they are started in."""

import os
import shutil
import sys
from pathlib import Path

c = get_config()  # noqa: F821  (nbgrader defines it)

root = Path(__file__).resolve().parent
(root / "grading").mkdir(exist_ok=True)  # SQLite makes the gradebook, but not its folder

c.CourseDirectory.root = str(root)
c.CourseDirectory.course_id = "cuda-kernels"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "notebooks"
c.CourseDirectory.submitted_directory = "grading/submitted"
c.CourseDirectory.autograded_directory = "grading/autograded"
c.CourseDirectory.feedback_directory = "grading/feedback"
c.CourseDirectory.solution_directory = "grading/solution"
c.CourseDirectory.db_url = f"sqlite:///{root}/grading/gradebook.db"
c.ZipCollectApp.downloaded_directory = "grading/downloaded"
c.ExportApp.plugin_class = "autograder.plugins.export.CsvExport"
c.ExportPlugin.to = str(root / "grading" / "grades.csv")
c.LateSubmissionPlugin.penalty_method = "none"  # "zero": late work loses all its points

# nbgrader calls `alembic` by name. It lies beside Python, which may be called by its full path.
if not shutil.which("alembic"):
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])

# https://github.com/OWNER/NAME, where the course lies, for released notebooks in Colab: make release REPOSITORY=...
c.StampRepository.repository = ""
c.StampRepository.solved = True  # False where only what `make student-bundle` packs lies there

c.GenerateAssignment.preprocessors = [
    "nbgrader.preprocessors.LockCells",
    "autograder.plugins.clear_solutions.ClearSolutions",
    "autograder.plugins.tag_answers.TagAnswers",
    "autograder.plugins.stamp_repository.StampRepository",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# Nothing of a submission but the text of its answers gets past TakeAnswers, and no notebook is executed. Of its other
# files nothing but the time and the secret is copied.
try:
    from autograder.submission_files import copy_receipts_alone
except ModuleNotFoundError:
    pass  # the students' bundle, in which nothing is graded
else:
    copy_receipts_alone()
c.Autograde.exporter_class = "autograder.plugins.take_answers.SubmissionExporter"
c.Autograde.sanitize_preprocessors = [
    "autograder.plugins.take_answers.TakeAnswers",
    "nbgrader.preprocessors.OverwriteCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.Autograde.autograde_preprocessors = [
    "autograder.plugins.judge_answers.JudgeAnswers",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]

c.GenerateFeedback.preprocessors = [
    "nbgrader.preprocessors.GetGrades",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
    "autograder.plugins.feedback.FeedbackPage",
]

# Validate, unlike Autograde, executes the notebook: seconds for one cell, in which an answer is built and all its cases
# are run, each within the judge's own limits.
c.Execute.timeout = 1200
c.Execute.startup_timeout = 120
