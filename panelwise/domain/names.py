"""Names of people: which spellings are one name, so that no person counts as two annotators."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from shlex import quote

from panelwise.domain.campaign import NAME_DIFFERENCE, Person, check_new_name, name_key
from panelwise.domain.errors import InvalidAnnotation


def clean_name(name: str) -> str:
    """Return the spelling to store of a new name: composed letters, single blanks, none at the ends."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def same_names(names: Iterable[str]) -> list[tuple[str, ...]]:
    """Return groups of spellings of one name, each in order; empty if all names differ."""
    groups: dict[str, set[str]] = {}
    for name in names:
        groups.setdefault(name_key(name), set()).add(name)
    return [tuple(sorted(group)) for _, group in sorted(groups.items()) if len(group) > 1]


def describe_spellings(names: Sequence[str]) -> tuple[str, str]:
    """Describe several spellings of one name in a campaign, and give the commands that join them."""
    listed = " and ".join(f'"{name}"' for name in names)
    joins = ", then ".join(f"annotator user join {quote(name)} {quote(names[-1])}" for name in names[:-1])
    return f"{listed} differ {NAME_DIFFERENCE}, and count as {len(names)} annotators", joins


def check_another_name(name: str, existing: Iterable[str]) -> None:
    """Raise InvalidAnnotation for a new name that is another spelling of an existing one, or not a valid name."""
    check_new_name(name)
    key = name_key(name)
    for other in existing:
        if other != name and name_key(other) == key:
            raise InvalidAnnotation(
                f'"{name}" differs {NAME_DIFFERENCE} from "{other}", who is in the campaign; give that name, '
                "or a name that tells two people apart"
            )


class Spellings:
    """Maps each spelling of a name in imported work to the stored name.

    known: the campaign's names; new names are added. changed: (spelling, name) -> number of
    records imported under another name than their own.
    """

    def __init__(self, existing: Iterable[str] = ()) -> None:
        self._names: dict[str, str] = {}
        self._by_key: dict[str, list[str]] = {}
        self.changed: Counter[tuple[str, str]] = Counter()
        for name in sorted(existing):
            self._add(name)

    def stored_name(self, spelling: str) -> str:
        """Return the name to store for a spelling. Raises InvalidAnnotation for an invalid or ambiguous one."""
        name = self._names.get(spelling)
        if name is None:
            name = self._find(spelling)
            self._names[spelling] = name
        if name != spelling:
            self.changed[spelling, name] += 1
        return name

    def notes(self) -> list[str]:
        """Describe the records imported under another name, one line each."""
        return [
            f'imported {count} record{"s"[count == 1 :]} of "{spelling}" as "{name}": they differ '
            f"{NAME_DIFFERENCE}; if these are two people, give one another name and import again"
            for (spelling, name), count in sorted(self.changed.items())
        ]

    def _find(self, spelling: str) -> str:
        there = self._by_key.get(name_key(spelling), [])
        if len(there) > 1:
            raise InvalidAnnotation(
                f'"{spelling}" may be "{there[0]}" or "{there[1]}"; make these one first: '
                "annotator user join OLD NAME"
            )
        if there:
            return there[0]
        name = clean_name(spelling)
        check_new_name(name)
        Person(name, frozenset())
        self._add(name)
        return name

    def _add(self, name: str) -> None:
        self._names[name] = name
        self._by_key.setdefault(name_key(name), []).append(name)
