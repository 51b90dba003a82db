"""What a running class keeps when the course is updated: its questions, its gradebook, its submissions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autograder.classroom import ROOT
from autograder.cli import main

# The names of all answer and question cells in 0.1.0. Gradebooks and submitted notebooks depend on these names.
OF_0_1_0 = {
    "00-first-kernel": """
        00-blocks 00-blocks-check 00-add 00-add-check 00-add-hidden 00-clinic 00-clinic-check 00-bytes 00-bytes-check
        00-axpy 00-axpy-check 00-candidate 00-candidate-check
    """,
    "01-row-scaling": """
        01-diag-bytes 01-diag-bytes-check 01-multiplications 01-multiplications-check 01-least-time
        01-least-time-check 01-sectors 01-sectors-check 01-element 01-element-check 01-element-sectors-check 01-grid
        01-grid-check 01-grid-hidden 01-row-block 01-row-block-check 01-candidate 01-candidate-check
    """,
    "02-scalar-multiply": """
        02-least-time 02-least-time-check 02-stride 02-stride-check 02-resident 02-resident-check 02-in-flight
        02-in-flight-check 02-loads 02-loads-check 02-loads-sectors-check 02-types 02-types-check 02-types-hidden
        02-copy-bytes 02-copy-bytes-check 02-mend 02-mend-check 02-candidate 02-candidate-check 02-candidate-hidden
    """,
    "03-matmul": """
        03-places 03-places-check 03-costs 03-costs-check 03-least-time 03-least-time-check 03-strides
        03-strides-check 03-sectors-j 03-sectors-j-check 03-along-i 03-along-i-check 03-along-i-sectors-check
        03-sectors-i 03-sectors-i-check 03-block 03-block-check 03-dispatch 03-dispatch-check 03-candidate
        03-candidate-check 03-candidate-hidden
    """,
    "04-tiled-matmul": """
        04-traffic 04-traffic-check 04-shared-bytes 04-shared-bytes-check 04-tile-of-b 04-tile-of-b-check
        04-wavefronts 04-wavefronts-check 04-jk 04-jk-check 04-shared-roof 04-shared-roof-check 04-blank
        04-blank-check 04-blank-sectors-check 04-blank-hidden 04-candidate 04-candidate-check
    """,
    "05-float4-relu": """
        05-least-time 05-least-time-check 05-requests 05-requests-check 05-nan 05-nan-check 05-float4 05-float4-check
        05-views 05-views-check 05-any 05-any-check 05-any-hidden 05-loads 05-loads-check 05-stride 05-stride-check
        05-stride-requests-check 05-candidate 05-candidate-check
    """,
    "06-model-new": """
        06-passes 06-passes-check 06-fused 06-fused-check 06-fused-requests-check 06-fused-hidden 06-costs
        06-costs-check 06-linear 06-linear-check 06-linear-hidden 06-softmax-passes 06-softmax-passes-check 06-online
        06-online-check 06-online-hidden 06-registers 06-registers-check 06-registers-sectors-check
    """,
    "07-beat-cublas": """
        07-feeding 07-feeding-check 07-registers 07-registers-check 07-wavefronts 07-wavefronts-check 07-wide
        07-wide-check 07-resident 07-resident-check 07-pipelined 07-pipelined-check 07-busiest 07-busiest-check
        07-shape 07-shape-check 07-shape-requests-check 07-shape-hidden 07-split 07-split-check
    """,
}

RENUMBERED = {"06-model-new": "08-model-new", "07-beat-cublas": "09-beat-cublas"}  # since 0.1.0, with all their cells


@pytest.mark.parametrize("name", OF_0_1_0)
def test_each_question_is_still_there_or_the_changelog_says_what_became_of_it(name: str) -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    now = RENUMBERED.get(name, name)
    cells = json.loads((ROOT / "solutions" / now / f"{now}.ipynb").read_text(encoding="utf-8"))["cells"]
    kept = {cell["metadata"]["nbgrader"]["grade_id"] for cell in cells if "nbgrader" in cell["metadata"]}
    assert kept
    assert now == name or f"`{name}` is now `{now}`" in changes
    names = [f"{now[:2]}{old[2:]}" for old in OF_0_1_0[name].split()]
    assert [each for each in names if each not in kept and f"`{each}`" not in changes] == []


def test_settings_of_an_older_version_are_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = (ROOT / "nbgrader_config.py").read_text(encoding="utf-8")
    (tmp_path / "nbgrader_config.py").write_text(settings.replace("autograder.plugins.", "autograder."))
    monkeypatch.chdir(tmp_path)
    assert main(["grade", "00-first-kernel"]) == 2
    assert capsys.readouterr().err == (
        "nbgrader_config.py names autograder.export.CsvExport, which this version of the course does not have. "
        "Replace the file with the nbgrader_config.py of this version, and add your own settings again.\n"
    )
