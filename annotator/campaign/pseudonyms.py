"""Pseudonyms of people in exports and releases.

A pseudonym is derived from the name with the home's secret: without `secret.key` it can't be resolved, not even by
trying names. It is the same in every release and export, also after the person is renamed.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from panelwise.domain import StoreError

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.store import Transaction
    from panelwise.domain import Annotation, Decision, Gold, Reopening

#: Maps a name to the written name.
Naming = Callable[[str], str]

#: The store's setting that holds the pseudonyms of people who were renamed: JSON, current name -> pseudonym.
SETTING = "pseudonyms"

PREFIX = "p-"
#: Characters after the prefix, five bits each: of 1,000 people two make the same first once in 2 thousand million.
LENGTH = 10


class Names(StrEnum):
    """Kind of names written: real names or pseudonyms."""

    PSEUDONYMS = "pseudonyms"
    REAL = "real"


class Pseudonyms:
    """The pseudonyms of one campaign. Of two names with equal pseudonyms, the one requested later gets another.

    stored: fixed pseudonyms by name. models: names of models, which are not replaced.
    """

    def __init__(self, secret: bytes, stored: Mapping[str, str], models: Collection[str] = ()) -> None:
        self._secret = hashlib.sha256(b"pseudonyms\0" + secret).digest()
        self._known = dict(stored)
        self._taken = set(stored.values())
        self._models = frozenset(models)

    def of(self, name: str) -> str:
        """Return the pseudonym of a person; "" and a model's version are returned unchanged."""
        if not name or name in self._models:
            return name
        if name not in self._known:
            self._known[name] = next(each for each in self._choices(name) if each not in self._taken)
            self._taken.add(self._known[name])
        return self._known[name]

    def _choices(self, name: str) -> Iterator[str]:
        number = 0
        while True:
            message = number.to_bytes(4, "big") + name.encode()
            made = hmac.new(self._secret, message, hashlib.sha256).digest()
            yield PREFIX + base64.b32encode(made).decode("ascii").lower()[:LENGTH]
            number += 1


def pseudonyms(home: Home, tx: Transaction) -> Pseudonyms:
    """Return the campaign's pseudonyms; names of models, on which decisions may be based, are not replaced."""
    models = tx.names.model_versions()
    return Pseudonyms(home.secret(), stored_pseudonyms(tx), models - tx.names.all() if models else ())


def annotators_by_number(queued: Collection[str], of: Naming, also: Iterable[str] = ()) -> dict[str, str]:
    """Return annotator -> "Annotator N", for pages that don't show names: numbered by their pseudonyms.

    Numbers `queued`, those with work in the queue that the reader may see, then `also`. Work on figures that the
    reader annotates blind gives no numbers: one that shifts would say that somebody has begun there. of: the
    mapping to pseudonyms. A figure's screen numbers its annotators again, so that nobody is recognized there.
    """
    ordered = [*sorted(queued, key=of), *sorted({*also} - {*queued}, key=of)]
    return {name: f"Annotator {number}" for number, name in enumerate(ordered, start=1)}


def naming(home: Home, tx: Transaction, names: Names) -> Naming:
    """Return the mapping to written names: unchanged, or to pseudonyms."""
    return str if names is Names.REAL else pseudonyms(home, tx).of


def stored_pseudonyms(tx: Transaction) -> dict[str, str]:
    """Return current name -> pseudonym of renamed people. Raises StoreError if the setting is damaged."""
    try:
        found = json.loads(tx.settings.get(SETTING) or "{}")
        return {str(name): str(pseudonym) for name, pseudonym in found.items()}
    except (ValueError, AttributeError) as error:
        raise StoreError(f'setting "{SETTING}" in the store is damaged; restore a backup') from error


class Anonymizer:
    """Replaces the names of people in records by pseudonyms, or leaves them; free text is unchanged and searched.

    of: the mapping to written names.
    """

    def __init__(self, home: Home, tx: Transaction, names: Names) -> None:
        self.of = naming(home, tx, names)
        self.text = FreeText(tx.names.all()) if names is Names.PSEUDONYMS else None

    def gold(self, gold: Gold) -> Gold:
        """Replace the names of the reviewer and annotators of a gold record."""
        if self.text is None:
            return gold
        about = gold.provenance
        self.text.look_at(
            gold.figure.id, (*about.texts(), *(text for part in gold.items.parts for text in part.texts))
        )
        based_on = tuple(sorted(map(self.of, about.based_on)))
        return replace(gold, provenance=replace(about, reviewer=self.of(about.reviewer), based_on=based_on))

    def annotation(self, annotation: Annotation) -> Annotation:
        """Replace the annotator's name."""
        if self.text is None:
            return annotation
        self.text.look_at(
            annotation.figure.id,
            (annotation.reason, *(text for part in annotation.items.parts for text in part.texts)),
        )
        return replace(annotation, annotator=self.of(annotation.annotator))

    def decision(self, decision: Decision) -> Decision:
        """Replace the names of the reviewer and annotators of a decision."""
        if self.text is None:
            return decision
        self.text.look_at(decision.figure.id, (decision.note, decision.guideline_flag))
        based_on = tuple(sorted(map(self.of, decision.based_on)))
        return replace(decision, reviewer=self.of(decision.reviewer), based_on=based_on)

    def reopening(self, reopening: Reopening) -> Reopening:
        """Replace the name of who reopened a figure."""
        if self.text is None:
            return reopening
        self.text.look_at(reopening.figure.id, (reopening.note,))
        return replace(reopening, reviewer=self.of(reopening.reviewer))

    def warnings(self) -> list[str]:
        """Return warnings about free text; none if real names are written."""
        return [] if self.text is None else self.text.warnings()


class FreeText:
    """Counts records with unchanged free text and finds names of people in it.

    names: searched as whole words; names of less than three characters are skipped. Free text is typed by
    annotators and reviewers; captions are not searched, because they contain names of other people.
    """

    def __init__(self, names: Iterable[str]) -> None:
        from annotator.store.maintenance.rename import SHORTEST_SOUGHT, whole_word

        self._words = [whole_word(name) for name in sorted(names) if len(name) >= SHORTEST_SOUGHT]
        self.written = 0
        self.naming: list[str] = []

    def look_at(self, figure_id: str, texts_found: Iterable[str]) -> None:
        """Search the texts of one record."""
        texts = [text for text in texts_found if text]
        self.written += bool(texts)
        if any(self.names_in(text) for text in texts):
            self.naming.append(figure_id)

    def names_in(self, text: str) -> bool:
        """Return whether a text contains the name of a person."""
        return any(word.search(text) for word in self._words)

    def warnings(self) -> list[str]:
        """Return warnings about free text."""
        if not self.written:
            return []
        lines = [f"notes and comments are written as they are (records that have some: {self.written})"]
        if self.naming:
            shown = ", ".join(self.naming[:5]) + (", ..." if len(self.naming) > 5 else "")
            lines.append(f"names of people stand in those of {shown} ({len(self.naming)} in all)")
        return lines
