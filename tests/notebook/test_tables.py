"""`held_against`: a prediction beside what happened, as text and as HTML."""

import pytest

from course.notebook.tables import held_against

pytestmark = pytest.mark.quick


def test_a_prediction_is_shown_beside_what_happened():
    text = str(held_against(2, 3.0, "ms"))
    assert "2" in text and "3" in text and "1.50" in text and "ms" in text
    html = held_against(None, 10_000, "bytes")._repr_html_()
    assert "nothing yet" in html and "shown once" in html and "10,000" not in html
    assert "factor" not in str(held_against("grid", "guard"))


def test_of_a_prediction_with_several_parts_each_has_a_column():
    happened = {"naive": 4096, "shape": (2, 3)}
    table = held_against({"shape": (2, 4), "naive": None}, happened, "bytes")
    assert table.rows == [
        ("bytes", "naive", "shape"),
        ("you said", "nothing yet", "(2, 4)"),
        ("it was", "shown once you have given a prediction", "(2, 3)"),
    ]
    assert held_against(None, happened).rows[1] == ("you said", "nothing yet", "nothing yet")


def test_a_table_escapes_what_a_student_wrote():
    html = held_against("<script>", "<b>", "a & b")._repr_html_()
    assert "&lt;script&gt;" in html and "&lt;b&gt;" in html and "a &amp; b" in html and "<script>" not in html
