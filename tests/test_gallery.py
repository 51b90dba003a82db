"""The gallery of students' mistakes: each is refused with the sentence that names it."""

import re

import pytest
import torch

from autograder.gallery import gallery
from course.judge import judge

TOOLCHAINS = ("emulator", "nvcc", "torch")
MISTAKES = gallery()
REFUSALS = [
    pytest.param(
        mistake,
        toolchain,
        id=f"{mistake.name}-{toolchain}",
        marks=pytest.mark.skipif(toolchain != "emulator" and not torch.cuda.is_available(), reason="needs a GPU"),
    )
    for mistake in MISTAKES
    for toolchain in mistake.refused_by
    if toolchain != "tracer"
]
LUCKY = [mistake for mistake in MISTAKES if mistake.refused_by == ("tracer",)]


@pytest.mark.parametrize(("mistake", "toolchain"), REFUSALS)
def test_a_mistake_is_refused_with_the_sentence_that_names_it(mistake, toolchain):
    verdict = judge(mistake.answer, mistake.task, toolchain=toolchain)
    assert not verdict.correct
    assert re.search(mistake.says, verdict.message), verdict.message
    if toolchain == "emulator":
        assert {hazard.kind for hazard in verdict.hazards} == mistake.hazards


@pytest.mark.parametrize("mistake", LUCKY, ids=[mistake.name for mistake in LUCKY])
def test_what_waits_for_the_tracer_does_pass_by_luck(mistake):
    verdict = judge(mistake.answer, mistake.task, toolchain="emulator")
    assert verdict.correct, f"refused without the tracer, so its head may say so: {verdict.message}"


def test_the_gallery_has_six_mistakes_for_each_notebook_and_forty_in_all():
    notebooks = [mistake.name[:2] for mistake in MISTAKES]
    assert len(MISTAKES) >= 40 and all(notebooks.count(f"{number:02}") >= 6 for number in range(6))


def test_every_mistake_is_refused_without_a_gpu_and_its_sentence_is_long_enough_to_name_it():
    for mistake in MISTAKES:
        toolchains = set(mistake.refused_by)
        assert toolchains == {"tracer"} or "emulator" in toolchains <= set(TOOLCHAINS), mistake.name
        assert len(mistake.says.split()) >= 4, mistake.name


@pytest.mark.parametrize(
    "head",
    [
        "// A mistake.\n// task: vector_add\n// says: all wrong\n",
        "// A mistake.\n// task: vector_add\n// refused by: emulator\n// says: wrong\n// kind: unknown\n",
    ],
)
def test_a_file_whose_head_is_not_of_the_form_is_refused(tmp_path, monkeypatch, head):
    (tmp_path / "00-headless.cu").write_text(f"{head}\ntorch::Tensor f(torch::Tensor A) {{ return A; }}\n")
    monkeypatch.setattr("autograder.gallery.FOLDER", tmp_path)
    with pytest.raises(ValueError, match="must have the lines task, refused by, says"):
        gallery()
