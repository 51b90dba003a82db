"""Saves marks in the gradebook. A mark that was given by hand stays done until the answer changes."""

import hashlib

from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.api import Comment, Grade, Gradebook
from nbgrader.preprocessors import SaveAutoGrades
from sqlalchemy import select
from sqlalchemy.orm import joinedload

from autograder.cells import about, answers_in
from autograder.tables import MarkedAnswer, make_tables


class SaveMarks(SaveAutoGrades):
    """nbgrader's `SaveAutoGrades`, which asks for each mark by hand again whenever it saves.

    Here, a mark by hand must be given again only if the answer's text differs from the text that was marked. The
    gradebook is asked about a notebook at once, and not about each cell.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """`nb` unchanged, after its marks were saved."""
        self.answers, ids = answers_in(nb), resources["nbgrader"]
        with Gradebook(ids["db_url"]) as self.gradebook:
            make_tables(self.gradebook)
            notebook = self.gradebook.find_submission_notebook(ids["notebook"], ids["assignment"], ids["student"])
            self.grades, self.comments = (
                {each.name: each for each in self.gradebook.db.scalars(rows.options(joinedload(kind.cell)))}
                for kind in (Grade, Comment)
                for rows in [select(kind).filter_by(notebook_id=notebook.id)]
            )
            marked = select(MarkedAnswer).join(Grade, Grade.id == MarkedAnswer.grade_id)
            self.marked = {
                each.grade_id: each.text
                for each in self.gradebook.db.scalars(marked.filter_by(notebook_id=notebook.id))
            }
            for index, cell in enumerate(nb.cells):
                self.preprocess_cell(cell, resources, index)
            self.gradebook.db.commit()
        return nb, resources

    def _add_score(self, cell: NotebookNode, resources: dict) -> None:
        name = cell.metadata.nbgrader.grade_id
        grade, answer = self.grades[name], self.answers.get(about(cell, "answer") or name)
        grade.auto_score, _ = utils.determine_grade(cell, self.log)
        text = hashlib.sha256((answer.source if answer else "").encode(errors="surrogatepass")).hexdigest()
        if grade.manual_score is None:
            grade.needs_manual_grade = grade.auto_score is None
        elif self.marked.get(grade.id, text) != text:  # there is none in a gradebook of an older version
            grade.needs_manual_grade = True
        self.gradebook.db.merge(MarkedAnswer(grade_id=grade.id, text=text))

    def _add_comment(self, cell: NotebookNode, resources: dict) -> None:
        unchanged = cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell)
        no_response = unchanged and not utils.is_task(cell)
        self.comments[cell.metadata.nbgrader.grade_id].auto_comment = "No response." if no_response else None
