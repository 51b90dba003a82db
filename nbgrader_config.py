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
# c.LatePolicy.grace_minutes = 10  # minutes after the due date, from the end of which time counts as late
# c.LatePolicy.late_days = 4       # a student's days in the whole course that are late without a penalty
# c.LatePolicy.last_days = 7       # work that is late by more days than this gets no points

# nbgrader calls `alembic` by name. The program is beside Python, which may have been called by its full path.
if not shutil.which("alembic"):
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])

# https://github.com/OWNER/NAME, where the course is, for released notebooks in Colab: make release REPOSITORY=...
c.StampRepository.repository = ""
# c.StampRepository.tag = "v0.1.0"  # what is installed there: a tag or commit, by default that of the course's version
c.StampRepository.solved = True  # False if only what `make student-bundle` packs is there

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

# TakeAnswers keeps only the text of a submission's answers, and no notebook is executed. Of the submission's other
# files, only the time and the secret are copied.
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
    "autograder.plugins.save_marks.SaveMarks",
    "autograder.plugins.late_policy.LatePolicy",
    "nbgrader.preprocessors.CheckCellMetadata",
]

c.GenerateFeedback.exporter_class = "autograder.plugins.feedback.PageExporter"
c.GenerateFeedback.preprocessors = [
    "nbgrader.preprocessors.GetGrades",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
    "autograder.plugins.feedback.FeedbackPage",
]

# Unlike Autograde, Validate executes the notebook. This is the limit for one cell, in seconds. A cell builds an answer
# and runs all its cases, each within the judge's own limits.
c.Execute.timeout = 1200
c.Execute.startup_timeout = 120
