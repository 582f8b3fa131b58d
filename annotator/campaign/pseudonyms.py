"""Names that stand for people in what leaves the campaign.

A pseudonym is made from the name with the home's secret: without `secret.key` nobody can tell whose it is, nor try
names out. It is the same in every release and export, also after the person was renamed.
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

from panelwise.domain.errors import StoreError

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.store import Transaction
    from panelwise.domain.annotation import Annotation
    from panelwise.domain.decision import Gold
    from panelwise.domain.items import Items

#: The name that is written for a name.
Naming = Callable[[str], str]

#: The store's setting that holds the pseudonyms of people who were renamed: JSON, current name -> pseudonym.
SETTING = "pseudonyms"

PREFIX = "p-"
#: Characters after the prefix, five bits each: of 1,000 people two make the same first once in 2 thousand million.
LENGTH = 10


class Names(StrEnum):
    """Whether people's own names are written, or pseudonyms."""

    PSEUDONYMS = "pseudonyms"
    REAL = "real"


class Pseudonyms:
    """The pseudonyms of one campaign. Of two names that would share one, the name asked for later gets another.

    kept: pseudonyms that are settled, by name. models: names of no person, which stay as they are.
    """

    def __init__(self, secret: bytes, stored: Mapping[str, str], models: Collection[str] = ()) -> None:
        self._secret = hashlib.sha256(b"pseudonyms\0" + secret).digest()
        self._known = dict(stored)
        self._taken = set(stored.values())
        self._models = frozenset(models)

    def of(self, name: str) -> str:
        """The pseudonym of a person; "" and a model's version stand for themselves."""
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
    """The campaign's pseudonyms. Names of models, which decisions may be based on too, are none."""
    models = tx.model_versions()
    return Pseudonyms(home.secret(), stored_pseudonyms(tx), models - tx.names() if models else ())


def naming(home: Home, tx: Transaction, names: Names) -> Naming:
    """How names are written: as they are, or as pseudonyms."""
    return str if names is Names.REAL else pseudonyms(home, tx).of


def stored_pseudonyms(tx: Transaction) -> dict[str, str]:
    """Current name -> pseudonym, of people who were renamed. Raises StoreError where the setting is damaged."""
    try:
        found = json.loads(tx.setting(SETTING) or "{}")
        return {str(name): str(pseudonym) for name, pseudonym in found.items()}
    except (ValueError, AttributeError) as error:
        raise StoreError(f'setting "{SETTING}" in the store is damaged; restore a backup') from error


def gold_under(gold: Gold, of: Naming) -> Gold:
    """The gold with its reviewer and those whose work it is based on under other names, in the order of these.

    Its note is left as it is.
    """
    about = gold.provenance
    based_on = tuple(sorted(of(name) for name in about.based_on))
    return replace(gold, provenance=replace(about, reviewer=of(about.reviewer), based_on=based_on))


def annotation_under(annotation: Annotation, of: Naming) -> Annotation:
    """The annotation with its annotator under another name; what they wrote as it is."""
    return replace(annotation, annotator=of(annotation.annotator))


class FreeText:
    """Counts the records whose free text goes out as somebody wrote it, and finds names of people in it.

    names: those looked for, as words of their own; ones of less than three characters are not. Free text is what
    annotators and reviewers typed, not captions: names of other people stand there.
    """

    def __init__(self, names: Iterable[str]) -> None:
        from annotator.store.maintenance.rename import SHORTEST_SOUGHT, whole_word

        self._words = [whole_word(name) for name in sorted(names) if len(name) >= SHORTEST_SOUGHT]
        self.written = 0
        self.naming: list[str] = []

    def look_at(self, figure_id: str, items: Items, *notes: str) -> None:
        """Look at the texts of one record."""
        self.look_at_texts(figure_id, (*notes, *_texts_of(items)))

    def look_at_texts(self, figure_id: str, texts_found: Iterable[str]) -> None:
        """Look at texts of one record, of whatever kind."""
        texts = [text for text in texts_found if text]
        self.written += bool(texts)
        if any(self.names_in(text) for text in texts):
            self.naming.append(figure_id)

    def names_in(self, text: str) -> bool:
        """Whether the name of a person stands in a text."""
        return any(word.search(text) for word in self._words)

    def warnings(self) -> list[str]:
        """What the lead must know, a line each."""
        if not self.written:
            return []
        lines = [f"notes and comments are written as they are (records that have some: {self.written})"]
        if self.naming:
            shown = ", ".join(self.naming[:5]) + (", ..." if len(self.naming) > 5 else "")
            lines.append(f"names of people stand in those of {shown} ({len(self.naming)} in all)")
        return lines


def _texts_of(items: Items) -> Iterator[str]:
    if items.kind is not None:
        yield items.kind.note
    for verdict in items.verdicts:
        yield verdict.note
    for answer in items.answers:
        yield answer.answer or ""
        yield answer.note
