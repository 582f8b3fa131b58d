"""One suite for all kinds of annotation on the screen of items, and the screens of a figure beside each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from items_cases import a_qa_figure, edited, judged, kinds

from annotator.adjudication.decision_fields import DraftBasics
from annotator.adjudication.draft import ItemsDraft, OwnItemsDraft, SubfiguresDraft
from annotator.adjudication.history import item_lines
from annotator.adjudication.kinds.support import KindSupport
from annotator.adjudication.kinds.supports import ADJUDICATED, SUPPORTS, item_values
from annotator.adjudication.screens import SCREENS
from panelwise.domain.annotation import Status
from panelwise.domain.errors import InvalidAnnotation
from panelwise.domain.items import HumanAnswer, Items, Part
from panelwise.domain.kinds import ANSWERS, ITEM_KINDS, KINDS, PAIRS, TYPES, Kind

FIGURE = a_qa_figure()
#: Two parts of each kind on one item, which say different things.
PARTS: dict[Kind, tuple[Part, Part]] = {
    TYPES: (kinds(True, 2, "tree").kind, kinds(False, 1, "graph").kind),
    PAIRS: (edited(FIGURE, "q1", answer="1"), edited(FIGURE, "q1", answer="2")),
    ANSWERS: (HumanAnswer("f1-q1", "yes"), HumanAnswer("f1-q1", None)),
}
each_kind = pytest.mark.parametrize("support", SUPPORTS.values(), ids=lambda support: support.kind.field)
each_adjudicated = pytest.mark.parametrize("support", ADJUDICATED, ids=lambda support: support.kind.field)


def a_draft(*parts: Part) -> OwnItemsDraft:
    values = item_values(Items(parts=parts), SUPPORTS.values())
    return OwnItemsDraft(version=0, status=Status.ACCEPTED, **values)


def noted(part: Any, note: str) -> Any:
    return replace(part, note=note)


def test_every_kind_of_item_has_its_support() -> None:
    assert SUPPORTS.keys() == {kind for kind in KINDS.values() if not kind.drawn}
    assert {support.kind for support in ADJUDICATED} == ITEM_KINDS
    assert SUPPORTS.keys() == PARTS.keys()


@each_kind
def test_a_draft_holds_what_its_parts_say(support: KindSupport) -> None:
    one, _ = PARTS[support.kind]
    draft = a_draft(noted(one, "see the legend"))
    assert support.parts_in(draft, {one.item}) == [noted(one, "see the legend")]
    assert support.as_field(support.values_in(draft)) == getattr(draft, support.kind.field)


@each_kind
def test_a_draft_without_a_kind_has_no_parts_of_it(support: KindSupport) -> None:
    assert support.parts_in(a_draft(), ()) == []


@each_kind
def test_a_part_on_a_pair_that_the_screen_lacks_is_refused_by_its_place(support: KindSupport) -> None:
    one, _ = PARTS[support.kind]
    if not support.kind.on_pairs:
        assert support.parts_in(a_draft(one), ()) == [one]
        return
    with pytest.raises(
        InvalidAnnotation, match=rf'{support.kind.field}\[0\].item: the figure has no pair "f1-q1"'
    ):
        support.parts_in(a_draft(one), ())


@each_kind
def test_a_line_tells_parts_and_their_notes_apart(support: KindSupport) -> None:
    one, other = PARTS[support.kind]
    works = [judged(FIGURE, Items(parts=[part])) for part in (one, other, noted(one, "odd"))]
    lines = {item_lines(work) for work in works}
    assert len(lines) == 3
    assert item_lines(works[2])[0].endswith("(note “odd”)")


@each_adjudicated
def test_what_one_side_changed_is_merged_and_what_both_changed_is_a_clash(support: KindSupport) -> None:
    base, changed = PARTS[support.kind]
    start, mine = a_draft(base), a_draft(changed)
    [part] = support.merged(mine, start, start)
    assert (part.merged, part.differs, part.clash) == (support.value(changed), True, False)
    [part] = support.merged(start, mine, start)
    assert (part.merged, part.differs, part.clash) == (support.value(changed), True, False)
    [part] = support.merged(mine, mine, start)
    assert (part.differs, part.clash) == (False, False)
    [part] = support.merged(mine, start, a_draft())
    assert (part.differs, part.clash) == (True, True)


@each_adjudicated
def test_a_side_that_says_nothing_takes_nothing_away(support: KindSupport) -> None:
    one, _ = PARTS[support.kind]
    [part] = support.merged(a_draft(), a_draft(one), a_draft(one))
    assert (part.mine, part.merged, part.clash) == (None, support.value(one), False)
    assert support.merged(a_draft(), a_draft(), a_draft(one)) == []


@each_adjudicated
def test_a_change_is_in_words_from_nothing_and_to_nothing(support: KindSupport) -> None:
    one, other = PARTS[support.kind]
    original = support.originals(FIGURE).get(one.item)
    changes = {support.change(original, *pair) for pair in ((None, one), (one, other), (other, None))}
    assert len(changes) == 3
    assert all(changes)


@pytest.mark.parametrize("draft", [SubfiguresDraft, ItemsDraft])
def test_each_screen_starts_from_the_content_of_its_own_drafts(draft: type[DraftBasics]) -> None:
    assert SCREENS[draft].draft is draft
