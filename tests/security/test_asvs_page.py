"""docs/security: what is not met is listed once, the counts are right, and what is named as evidence is there."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from conftest import REPOSITORY

FOLDER = REPOSITORY / "docs" / "security"
PAGE = FOLDER / "asvs-level-2.md"
#: ASVS 5.0.0: section -> its requirements of levels 1 and 2, counted from 1 without a gap.
SECTIONS = {
    **{"1.1": 2, "1.2": 9, "1.3": 11, "1.4": 3, "1.5": 2, "2.1": 3, "2.2": 3, "2.3": 4, "2.4": 1},
    **{"3.2": 2, "3.3": 4, "3.4": 6, "3.5": 5, "3.7": 2, "4.1": 3, "4.2": 1, "4.3": 2, "4.4": 4},
    **{
        "5.1": 1,
        "5.2": 3,
        "5.3": 2,
        "5.4": 3,
        "6.1": 3,
        "6.2": 12,
        "6.3": 4,
        "6.4": 4,
        "6.5": 5,
        "6.6": 3,
        "6.8": 4,
    },
    **{"7.1": 3, "7.2": 4, "7.3": 2, "7.4": 5, "7.5": 2, "7.6": 2, "8.1": 2, "8.2": 3, "8.3": 1, "8.4": 1},
    **{"9.1": 3, "9.2": 4, "10.1": 2, "10.2": 2, "10.3": 4, "10.4": 11, "10.5": 5, "10.6": 2, "10.7": 3},
    **{"11.1": 2, "11.2": 3, "11.3": 3, "11.4": 4, "11.5": 1, "11.6": 1, "12.1": 3, "12.2": 2, "12.3": 4},
    **{
        "13.1": 1,
        "13.2": 5,
        "13.3": 2,
        "13.4": 5,
        "14.1": 2,
        "14.2": 4,
        "14.3": 3,
        "15.1": 3,
        "15.2": 3,
        "15.3": 7,
    },
    **{"16.1": 1, "16.2": 5, "16.3": 4, "16.4": 3, "16.5": 3, "17.1": 1, "17.2": 4, "17.3": 2},
}
ALL = [f"{section}.{number}" for section, count in SECTIONS.items() for number in range(1, count + 1)]
STATES = {"partly", "no", "deploy", "n/a"}


def requirements(first: str, last: str) -> list[str]:
    """The requirements from one to another, or the one."""
    return ALL[ALL.index(first) : ALL.index(last or first) + 1]


def rows() -> list[tuple[list[str], str, str]]:
    """The requirements that a row, or a part of the last list, is about, its state, and what it says."""
    text = PAGE.read_text(encoding="utf-8")
    number = r"(\d+\.\d+\.\d+)(?:-(\d+\.\d+\.\d+))?"
    found = [
        (requirements(first, last), state, said)
        for first, last, state, said in re.findall(rf"^\| {number} \| ([^|]+) \| ([^|]+) \|$", text, re.MULTILINE)
    ]
    (listed,) = re.findall(r"^## Not about anything here\n(.*?)^##", text, re.MULTILINE | re.DOTALL)
    for several, said in re.findall(r"((?:[\d.-]+(?:, )?)+)\s\(([^)]+)\)", listed):
        for first, last in re.findall(number, several):
            found.append((requirements(first, last), "n/a", said))
    return found


def test_the_standard_has_253_requirements_of_these_levels() -> None:
    assert len(ALL) == 253


def test_what_is_not_met_is_listed_once_and_counted() -> None:
    listed = [each for its, _, _ in rows() for each in its]
    assert len(set(listed)) == len(listed)
    counted = Counter({state: sum(len(its) for its, said, _ in rows() if said == state) for state in STATES})
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert (
        f"Of {len(ALL)} requirements {len(ALL) - len(listed)} are met, {counted['partly']} partly, "
        f"{counted['no']} not; "
        f"{counted['deploy']} are up to the administrator; {counted['n/a']} have nothing here"
    ) in text


def test_every_state_is_known_and_has_a_reason() -> None:
    for its, state, said in rows():
        assert state in STATES, its
        assert len(said.split()) >= (2 if state == "n/a" else 3), its


@pytest.mark.parametrize("page", sorted(FOLDER.glob("*.md")), ids=lambda page: page.name)
def test_what_is_named_as_evidence_is_there(page) -> None:
    named = re.findall(
        r"`((?:annotator|agreement|tests|docs|scripts|prelabel)/[^` ]+)`", page.read_text(encoding="utf-8")
    )
    assert named
    assert [each for each in named if not (REPOSITORY / each).exists()] == []
