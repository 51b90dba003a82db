"""Saves marks in the gradebook. A mark that was given by hand stays done until the answer changes."""

import hashlib

from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.preprocessors import SaveAutoGrades

from autograder.cells import about, answers_in
from autograder.tables import MarkedAnswer, make_tables


class SaveMarks(SaveAutoGrades):
    """nbgrader's `SaveAutoGrades`, which asks for each mark by hand again whenever it saves.

    Here, a mark by hand must be given again only if the answer's text differs from the text that was marked.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """`nb` unchanged, after its marks were saved."""
        self.answers = answers_in(nb)
        with Gradebook(resources["nbgrader"]["db_url"]) as gradebook:
            make_tables(gradebook)
            gradebook.db.commit()
        return super().preprocess(nb, resources)

    def _add_score(self, cell: NotebookNode, resources: dict) -> None:
        name, gradebook = cell.metadata.nbgrader.grade_id, self.gradebook
        grade = gradebook.find_grade(name, self.notebook_id, self.assignment_id, self.student_id)
        grade.auto_score, _ = utils.determine_grade(cell, self.log)
        answer = self.answers.get(about(cell, "answer") or name)
        text = hashlib.sha256((answer.source if answer else "").encode(errors="surrogatepass")).hexdigest()
        marked = gradebook.db.get(MarkedAnswer, grade.id)
        if grade.manual_score is None:
            grade.needs_manual_grade = grade.auto_score is None
        elif marked and marked.text != text:  # there is none in a gradebook of an older version
            grade.needs_manual_grade = True
        gradebook.db.merge(MarkedAnswer(grade_id=grade.id, text=text))
        gradebook.db.commit()
