"""Puts several CUDA sources into one file, since nvcc takes longer to read headers than to compile a kernel."""

from __future__ import annotations

import re
from collections.abc import Mapping


def in_one_file(texts: Mapping[str, str]) -> str:
    """The sources, by name, each in a namespace, below the includes of all. None sees another's names or macros."""
    includes = sorted({line for text in texts.values() for line in re.findall(r"^#include.*$", text, re.MULTILINE)})
    return "\n".join([*includes, *(_in_a_namespace(*item) for item in texts.items())])


def _in_a_namespace(name: str, text: str) -> str:
    body = re.sub(r"^#include.*$", "", text, flags=re.MULTILINE)
    undefined = "".join(f"#undef {macro}\n" for macro in re.findall(r"^#define (\w+)", text, re.MULTILINE))
    return f"namespace n_{re.sub(r'[^A-Za-z0-9]', '_', name)} {{\n{body}\n}}\n{undefined}"
