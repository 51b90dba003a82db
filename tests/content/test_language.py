"""The prose has none of the constructions that make a sentence hard to read, as far as a pattern can tell.

`python -m tests.content.test_language [REVISION]` prints how many each file has, now or at a revision of git.
"""

from __future__ import annotations

import html
import io
import json
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator

import pytest

from autograder.classroom import ROOT

pytestmark = pytest.mark.quick

PROSE = re.compile(
    r"solutions/[^/]+/[^/]+\.ipynb|(README|CONTRIBUTING|CHANGELOG)\.md|(docs|autograder|solutions)/\w+\.md"
    r"|(course|autograder)/.*\.py"
)
COUNTED = (
    r"(?:threads|blocks|warps|bytes|floats|elements|sectors|registers|points|(?:\d|two|four|the|many) (?:loads|stores))"
)
UNIT = r"(?:thread|block|warp|lane|row|column|element|launch|multiprocessor|question|clock|second|request|load)"
PATTERNS = {
    # "the elements a block loads" and "gives one thread a row" are plain English, and so is "one thread stores a row".
    "a for per": rf"(?<!gives )(?<!give )\b(?:(?:an?|one) {UNIT}|{COUNTED}) an? {UNIT}\b(?!'| (?:\w+s|can|may|must)\b)",
    "who for anyone who": r"^\W*Who\b[^?]*$",
    "mend": r"\bmend(?:s|ed|ing)?\b",
    "reckon": r"\breckon",
    "ask of memory": r"\basks? of memory\b",
    "shall": r"\bshall\b",
    "but for": r"(?<!,) but for\b",
    "save for": r"\bsave for\b",
    "other than before": r"\bother than (?:before|in|on)\b",
    "so many": r"\bso many\b(?!(?: \w+){0,4} that)",
}
LONGEST = 6 * 100  # characters in a paragraph of a notebook


def prose_files(revision: str | None) -> Iterator[tuple[str, str]]:
    """Name and text of each file with prose, as it is now or was at a revision."""
    listing = ["git", "ls-tree", "-r", "--name-only", revision] if revision else ["git", "ls-files"]
    for name in subprocess.check_output(listing, cwd=ROOT, text=True).splitlines():
        if PROSE.fullmatch(name) and revision:
            yield name, subprocess.check_output(["git", "show", f"{revision}:{name}"], cwd=ROOT, text=True)
        elif PROSE.fullmatch(name) and (ROOT / name).exists():
            yield name, (ROOT / name).read_text()


def of_markdown(text: str) -> list[str]:
    """The paragraphs and list items, without blocks of code, tables, tags and addresses."""
    text = re.sub(r"^ *```.*?^ *```|^\|.*?$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"\]\([^)]*\)", "]", re.sub(r"<code>(.*?)</code>", r"`\1`", text, flags=re.DOTALL))
    text = html.unescape(re.sub(r"</?[a-z]+( [^>]*)?>", "\n\n", text))
    return re.split(r"\n\s*\n|\n(?=\s*(?:[-*>#]|\d+\.)\s)", text)


def of_python(text: str) -> list[str]:
    """The comments and strings. Those on successive lines are one text."""
    texts: list[str] = []
    before = None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            content = re.sub(r"""^#+|^\w*("{3}|"|')|("{3}|"|')$""", "", token.string)
            texts = [*texts[:-1], texts[-1] + content] if token.type == before else [*texts, content]
        before = before if token.type == tokenize.NL else token.type
    return [part for text in texts for part in re.split(r"\n\s*\n", text)]


def findings(name: str, text: str) -> list[str]:
    """What is hard to read in a file: the rule and the sentence."""
    if notebook := name.endswith(".ipynb"):
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
        text = "\n\n".join("".join(cell["source"]) for cell in cells)
    paragraphs = of_python(text) if name.endswith(".py") else of_markdown(text)
    found = [f"long paragraph: {each}" for each in paragraphs if notebook and len(each) > LONGEST]
    for paragraph in paragraphs:
        plain = re.sub(r"`[^`]*`|\$[^$]*\$", "Code", " ".join(paragraph.split()))
        for sentence in re.split(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_]*[A-Z])", plain):
            found += [f"{rule}: {sentence}" for rule, pattern in PATTERNS.items() if re.search(pattern, sentence)]
            chains = any(len(re.findall(rf"{mark}(?=\s|$)", sentence)) > 1 for mark in ":;")
            found += [f"chain: {sentence}"] if notebook and chains else []
    return found


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("One launches a thread an element.", "One thread per element. It gives one thread a row."),
        ("It takes two loads a thread.", "It counts the loads a thread makes."),
        ("Who wants the maximum may like that.", "Who wants the maximum?"),
        ("So it is mended.", "Amend the commit."),
        ("The tracer reckons it out.", "The tracer works it out."),
        ("Each lane asks of memory 4 bytes.", "It asks for 4 bytes of memory."),
        ("It shall pass.", "A shallow copy."),
        ("All pass but for one.", "It is slow for float, but for half it is fast."),
        ("All pass, save for one.", "Safe for all."),
        ("It differs, other than before.", "Any other than these."),
        ("There are so many blocks.", "There are so many blocks that they wait."),
    ],
)
def test_the_patterns_tell_wrong_from_right(wrong: str, right: str) -> None:
    assert len(findings("README.md", wrong)) == 1 and not findings("README.md", right)
    assert len(findings("course/a.py", f'x = "{wrong}"')) == 1 and not findings("course/a.py", f"# {right}\n")


def test_no_sentence_is_hard_to_read() -> None:
    assert not [f"{name}: {found}" for name, text in prose_files(None) for found in findings(name, text)]


if __name__ == "__main__":
    counts = {name: len(findings(name, text)) for name, text in prose_files(*sys.argv[1:] or [None])}
    print(*(f"{count:5} {name}" for name, count in counts.items() if count), sep="\n")
    print(f"{sum(counts.values()):5} in {len(counts)} files")
