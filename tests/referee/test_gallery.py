"""The gallery of mistakes: each is refused with the sentence that names it, and the instructor's page lists them."""

import json
import re
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from course.referee.judge import judge
from tests.gallery import Mistake, gallery
from tests.tiers import tiered

MISTAKES = gallery()


LUCKY = [mistake for mistake in MISTAKES if mistake.refused_by == ("tracer",)]
REMARKED = [mistake for mistake in MISTAKES if mistake.refused_by == ("remark",)]
# The fast tests judge some of the first notebook's mistakes, except those that never end, and a few of the others.
OF_00 = [each for each in MISTAKES if each.name.startswith("00") and "timeout" not in each.hazards]
FAST = [*OF_00[::6], *LUCKY[::4], *REMARKED[::6]]
SOLUTIONS = Path(__file__).parents[2] / "solutions"
PAGE = (SOLUTIONS / "README.md").read_text(encoding="utf-8").replace("`", "")


def refused_by(toolchain: str) -> list[Mistake]:
    return [mistake for mistake in MISTAKES if toolchain in mistake.refused_by]


def parameters(mistakes: list[Mistake]) -> list[ParameterSet]:
    """The first of each notebook and with the same hazards is slow, unless it is fast."""
    slow = tiered(mistakes, lambda each: [each.name[:2], each.hazards], lambda each: each.name)
    fast = (pytest.param(each, id=each.name) for each in mistakes)
    return [quick if each in FAST else late for each, quick, late in zip(mistakes, fast, slow, strict=True)]


@pytest.mark.parametrize("mistake", parameters(refused_by("emulator")))
def test_a_mistake_is_refused_with_the_sentence_that_names_it(mistake):
    verdict = judge(mistake.answer, mistake.task, toolchain="emulator")
    assert not verdict.correct
    assert re.search(mistake.says, verdict.message), verdict.message
    assert {hazard.kind for hazard in verdict.hazards} == mistake.hazards


@pytest.mark.gpu
@pytest.mark.parametrize("mistake", refused_by("nvcc"), ids=lambda mistake: mistake.name)
def test_a_mistake_is_refused_on_a_gpu_too(mistake):
    verdict = judge(mistake.answer, mistake.task, toolchain="nvcc")
    assert not verdict.correct and re.search(mistake.says, verdict.message), verdict.message


@pytest.mark.parametrize("mistake", parameters(LUCKY))
def test_what_has_right_values_by_luck_is_refused_by_the_tracer(mistake):
    verdict = judge(mistake.answer, mistake.task, toolchain="emulator")
    assert not verdict.failed, f"refused without the tracer, so its head may say so: {verdict.message}"
    assert verdict.hazards and re.search(mistake.says, verdict.message), verdict.message


@pytest.mark.parametrize("mistake", parameters(REMARKED))
def test_what_no_question_asks_for_passes_with_a_remark(mistake):
    verdict = judge(mistake.answer, mistake.task, toolchain="emulator")
    assert verdict.correct and re.search(mistake.says, " ".join(verdict.text().split())), verdict.text()


def test_the_gallery_has_eight_mistakes_for_each_notebook_and_a_hundred_and_fifty_in_all():
    notebooks = [mistake.name[:2] for mistake in MISTAKES]
    numbers = {path.parent.name[:2] for path in SOLUTIONS.glob("*/*.ipynb")}
    assert len(MISTAKES) >= 150 and all(notebooks.count(number) >= 8 for number in numbers)


def test_every_mistake_is_found_without_a_gpu_and_its_sentence_is_long_enough_to_name_it():
    for mistake in MISTAKES:
        toolchains = set(mistake.refused_by)
        alone = toolchains in ({"tracer"}, {"remark"})
        assert alone or "emulator" in toolchains <= {"emulator", "nvcc"}, mistake.name
        assert len(mistake.says.split()) >= 4, mistake.name


def test_the_instructors_page_has_every_mistake_with_the_sentence_that_names_it():
    *_, lucky, remarked = re.split(r"^## (?:Right by luck|Right with a remark)$", PAGE, flags=re.MULTILINE)
    for section, mistakes in ((lucky, LUCKY), (remarked, REMARKED)):
        listed = set(re.findall(r"^- (\d\d): (.+)$", section, re.MULTILINE))
        assert listed == {(mistake.name[:2], mistake.title) for mistake in mistakes}
    sections = re.split(r"^## (\d\d) .+$", PAGE, flags=re.MULTILINE)[1:]
    rows = {
        (number, title): (sentence, mark)
        for number, section in zip(sections[::2], sections[1::2], strict=True)
        for title, mark, sentence in re.findall(r"^\| ([^|]+?)( †)? \| ([^|]+) \|$", section, re.MULTILINE)
        if title != "mistake"
    }
    refused = {(mistake.name[:2], mistake.title): mistake for mistake in MISTAKES if mistake not in LUCKY + REMARKED}
    assert rows.keys() == refused.keys()
    for place, mistake in refused.items():
        sentence, mark = rows[place]
        assert re.search(mistake.says, sentence), mistake.name
        assert bool(mark) == (mistake.refused_by == ("emulator",)), mistake.name


def test_the_instructors_page_has_every_graded_cell_with_its_points():
    notebooks = [json.loads(path.read_text(encoding="utf-8")) for path in SOLUTIONS.glob("*/*.ipynb")]
    cells = [cell["metadata"].get("nbgrader", {}) for notebook in notebooks for cell in notebook["cells"]]
    points = {cell["grade_id"]: cell["points"] for cell in cells if cell.get("grade")}
    rows = re.findall(r"^\| (\d\d-[a-z0-9-]+) \| [^|]+ \| (\d+) \|$", PAGE, re.MULTILINE)
    assert {name: int(number) for name, number in rows} == points


@pytest.mark.parametrize(
    "head",
    [
        "// A mistake.\n// task: vector_add\n// refused by: emulator\n",
        "// A mistake.\n// task: vector_add\n// refused by: emulator\n// says: wrong\n// kind: unknown\n",
    ],
)
def test_a_file_whose_head_is_not_of_the_form_is_refused(tmp_path, monkeypatch, head):
    (tmp_path / "00-headless.cu").write_text(f"{head}\ntorch::Tensor f(torch::Tensor A) {{ return A; }}\n")
    monkeypatch.setattr("tests.gallery.FOLDER", tmp_path)
    with pytest.raises(ValueError, match="must have the lines task, says"):
        gallery()


@pytest.mark.parametrize(
    ("base", "old", "reason"),
    [
        ("absent", "one", "must name a file"),
        ("00-base", "absent", "once"),
        ("00-base", "two", "once"),
        ("00-base", "one\n-...\n-// absent", "once"),
    ],
)
def test_a_change_that_does_not_fit_its_file_is_refused(tmp_path, monkeypatch, base, old, reason):
    head = "// A mistake.\n// task: vector_add\n// refused by: emulator\n// says: wrong\n"
    function = "torch::Tensor f(torch::Tensor A) { return A; }"
    (tmp_path / "00-base.cu").write_text(f"{head}\n{function}\n// one\n// two\n// two\n")
    monkeypatch.setattr("tests.gallery.FOLDER", tmp_path)
    for hunk, text in (
        (f" {function}\n-// one\n+// three", f"{function}\n// three\n// two\n// two"),
        (f"-{function}\n-...\n-// two\n+{function}", f"{function}\n// two"),
    ):
        change = f"// A mistake.\n// says: wrong\n// change of: 00-base\n@@\n{hunk}\n"
        (tmp_path / "01-change.cu").write_text(change)
        assert gallery()[1].answer.source == f"{head}\n{text}\n"
    (tmp_path / "01-change.cu").write_text(f"{head}// change of: {base}\n@@\n-// {old}\n+// three\n")
    with pytest.raises(ValueError, match=reason):
        gallery()
