"""Pictures in SVG. Those in `concepts/` explain an idea before an exercise; the modules draw what `trace` found."""

from pathlib import Path

from course.notebook.pictures.svg import Figure, drawing

CONCEPTS = Path(__file__).parent / "concepts"


def picture(name: str, **details: str) -> Figure:
    """The picture of a concept.

    Parameters
    ----------
    name : str
        The name of a file in `concepts/`, such as "launch".
    **details : str
        What the file asks for: `here` marks a place in the picture "machine".

    Returns
    -------
    Figure
        An SVG, with its content in words.
    """
    return drawing(f"{name}.svg", CONCEPTS, **details)
