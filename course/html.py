"""HTML from the templates in `course/templates`. Jinja2 escapes whatever a template inserts."""

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES = Path(__file__).parent / "templates"


def render(template: str, /, folder: Path = TEMPLATES, **data: Any) -> "Markup":
    """The HTML of a template, such as "table.html", which another template may insert without escaping it.

    A template in another folder, such as the autograder's, finds the course's templates too.
    """
    from markupsafe import Markup

    return Markup(_environment(folder).get_template(template).render(**data))


def paragraph(text: str) -> str:
    """`text` as a paragraph.

    Each line break becomes an element. An empty line would end the paragraph where a page is made from Markdown, and
    what follows it would be read as Markdown.
    """
    return f"<p>{'<br>'.join(with_code(text).splitlines())}</p>"


def with_code(text: str) -> "Markup":
    """`text` as HTML, with what is between two backticks as code."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", str(escape(text))))


@functools.cache
def _environment(folder: Path) -> "Environment":
    import jinja2  # imported here, since most commands and workers show no HTML

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([folder, TEMPLATES]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["with_code"] = with_code
    return environment
