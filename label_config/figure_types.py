"""The labelling config for figure types: compound or not, number of subfigures, types."""

from __future__ import annotations

from collections.abc import Sequence

from label_config import frame
from label_config.hotkeys import ChoiceKeys

_HINT = "Approve what is filled in, or correct it. Parts joined by arrows or brackets are one figure."


def figure_types_config(types: Sequence[str], *, fine: bool = False, closed: bool = False) -> str:
    """Return the labelling config as XML.

    types: the choices, each once. fine: also ask for finer types as free text. closed: take no other types. Raises
    ValueError for fewer than two types, for empty or repeated ones, and for more types than there are keys.
    """
    check_values(types, "types")
    keys = ChoiceKeys()
    return frame.framed(
        (
            frame.header(_HINT, "pw-hint"),
            '<View className="pw-block">',
            *frame.figure_kind(types, keys, fine=fine, pressed=True, closed=closed),
            "</View>",
            *frame.closing(keys, notes=True),
        ),
        references=True,
    )


def check_values(values: Sequence[str], what: str) -> None:
    """Raise ValueError unless there are at least two distinct, non-empty choices without surrounding blanks."""
    if len(values) < 2:
        raise ValueError(f"a config needs at least two {what}")
    if not all(value and value == value.strip() for value in values):
        raise ValueError(f"one of the {what} is empty or has blanks at its ends")
    if len(set(values)) != len(values):
        raise ValueError(f"one of the {what} is repeated")
