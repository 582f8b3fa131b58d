"""Decisions as people send them: of which kind one is, and what each kind refuses."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from annotator.adjudication.draft import DraftDecoder, ItemsDraft, OwnItemsDraft, SubfiguresDraft
from annotator.adjudication.kinds.types import KindValue
from panelwise.domain.annotation import Status

BASICS: dict[str, Any] = {"version": 0, "status": "accepted"}


def decoded(**fields: object) -> SubfiguresDraft | ItemsDraft:
    return DraftDecoder().decode(msgspec.json.encode(BASICS | fields))


def test_a_decision_is_of_the_type_that_it_says() -> None:
    assert decoded(type="subfigures", subfigures=[]) == SubfiguresDraft(
        version=0, status=Status.ACCEPTED, subfigures=()
    )
    assert decoded(type="items", kind=None) == ItemsDraft(version=0, status=Status.ACCEPTED, kind=None)


def test_without_a_type_its_fields_say_it() -> None:
    assert isinstance(decoded(subfigures=[]), SubfiguresDraft)
    kind = {"compound": True, "count": 2, "types": ["tree"]}
    assert decoded(kind=kind) == ItemsDraft(version=0, status=Status.ACCEPTED, kind=KindValue(True, 2, ("tree",)))
    assert isinstance(decoded(), ItemsDraft)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"subfigures": [], "kind": None}, "Object contains unknown field `kind`"),
        ({"subfigures": [], "type": "items"}, "Object contains unknown field `subfigures`"),
        ({"type": "subfigures"}, "Object missing required field `subfigures`"),
        ({"type": "own-items", "answers": []}, r"Invalid value 'own-items' - at `\$.type`"),
        ({"type": None}, r"Expected `str`, got `null` - at `\$.type`|Expected `str` - at `\$.type`"),
        ({"answers": []}, "Object contains unknown field `answers`"),
        ({"subfigures": [{"label": "A", "box": [1, 2, 3]}]}, r"length 4 - at `\$.subfigures\[0\].box`"),
        ({"seconds": -1}, r"`float` >= 0.0 - at `\$.seconds`"),
    ],
)
def test_what_a_decision_of_its_type_cannot_have_is_named(fields: dict[str, object], message: str) -> None:
    with pytest.raises(msgspec.DecodeError, match=message):
        decoded(**fields)


def test_a_screen_that_knows_the_type_needs_none_and_refuses_another() -> None:
    sent = msgspec.json.encode(BASICS | {"answers": [{"item": "q1", "answer": None}]})
    assert msgspec.json.decode(sent, type=OwnItemsDraft).answers[0].answer is None
    with pytest.raises(msgspec.ValidationError, match="Invalid value 'items'"):
        msgspec.json.decode(msgspec.json.encode(BASICS | {"type": "items"}), type=OwnItemsDraft)
