"""Finds the places in the output to which the values of wrong elements belong."""

from __future__ import annotations

import torch

from course.referee.wrong import Wrong

LOOKED_AT = 16  # how many wrong elements are looked at; each must match, because a few may match by chance
FEWEST = 4  # the least number of wrong elements, because fewer may match by chance


def misplaced(wrong: Wrong) -> str | None:
    """The sentence if the values of the first wrong elements are expected at other places, which are known."""
    expected = wrong.expected.reshape(-1)
    got = wrong.got.reshape(-1).to(expected.dtype)
    if not got.is_floating_point() or wrong.special:
        return None
    places = (wrong.mask & got.isfinite() & (got != 0)).nonzero().view(-1)[:LOOKED_AT]
    if len(places) < FEWEST:
        return None
    # For each wrong element: which expected values it equals, apart from the last bits of float32.
    tolerance = torch.finfo(torch.float32).eps * 4
    equal = (got[places, None] - expected).abs() <= tolerance * expected.abs()
    belongs = _belongs(equal, places)
    if belongs is None or bool((belongs == places).any()):  # right apart from the last bits
        return None
    first = zip(places[:2].tolist(), belongs[:2].tolist(), strict=True)
    pairs = [f"element {at} holds the value of element {to}" for at, to in first]
    apart = (belongs - places).unique()
    every = f", always {abs(int(apart[0])):,} elements {'further on' if apart[0] > 0 else 'earlier'}"
    return (
        f"Wrong elements hold the values of other elements{every * (len(apart) == 1)}: {', '.join(pairs)}. The index "
        "of the load or of the store is wrong, or the wrong variable is used."
    )


def _belongs(equal: torch.Tensor, places: torch.Tensor) -> torch.Tensor | None:
    """The place where each value belongs, or None if unknown.

    Either all values belong equally far from their places, or each is expected at only one place. Among very many
    elements, a value may be expected at several places by chance.
    """
    apart = equal[0].nonzero().view(-1) - places[0]
    targets = places + apart[:, None]
    inside = (targets >= 0) & (targets < equal.shape[1])
    found = equal[torch.arange(len(places), device=places.device), targets.clamp(0, equal.shape[1] - 1)]
    common = apart[(inside & found).all(1)]
    if len(common) == 1:
        return places + common
    return equal.int().argmax(1) if bool((equal.sum(1) == 1).all()) else None
