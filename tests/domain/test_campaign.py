from __future__ import annotations

import pytest

from annotator.domain.campaign import Campaign, Person, Phase, Role, check_new_name
from annotator.domain.errors import InvalidAnnotation


def test_a_phase_that_is_not_listed_is_a_plain_one() -> None:
    campaign = Campaign("c", (Phase("1", seeded=False),), ("A",))
    assert campaign.phase("1").seeded is False
    assert campaign.phase("2") == Phase("2")


@pytest.mark.parametrize(
    ("phases", "labels", "quorum", "complaint"),
    [
        ((Phase("1"), Phase("1")), ("A",), 2, "bear one name"),
        ((Phase("1"),), ("A", "A"), 2, "empty or repeated label"),
        ((Phase("1"),), ("A", ""), 2, "empty or repeated label"),
        ((Phase("1"),), ("A", "B "), 2, 'label "B " has blanks at its ends'),
        ((Phase("1"),), ("\tA",), 2, "blanks at its ends"),
        ((Phase("1"),), ("A",), 0, "quorum of 0"),
    ],
)
def test_contradictory_settings_are_refused(
    phases: tuple[Phase, ...], labels: tuple[str, ...], quorum: int, complaint: str
) -> None:
    with pytest.raises(InvalidAnnotation, match=complaint):
        Campaign("c", phases, labels, quorum=quorum)


@pytest.mark.parametrize("name", ["", " ann", "ann "])
def test_a_name_is_not_empty_and_has_no_blanks_at_its_ends(name: str) -> None:
    with pytest.raises(InvalidAnnotation, match="no usable name"):
        Person(name, frozenset({Role.ANNOTATOR}))


def test_a_person_may_hold_several_roles() -> None:
    assert Person("ann", frozenset({Role.ANNOTATOR, Role.REVIEWER})).roles >= {Role.REVIEWER}


def test_a_new_name_holds_no_control_characters() -> None:
    check_new_name("Ånn O'Neill")
    with pytest.raises(InvalidAnnotation, match=r"'a\\tb' holds control characters"):
        check_new_name("a\tb")
