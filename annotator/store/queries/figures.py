"""Figures with their revisions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, not_, or_, select

from annotator.store.database.errors import quoted
from annotator.store.database.tables import annotation_table, figures, queue, revisions, tasks, withdrawals
from annotator.store.queries.blind import closed_unwritten, outside
from annotator.store.queries.queue.entries import EntryQueries
from annotator.store.rows import figure_mapping
from annotator.store.rows.records import Hidden
from annotator.store.rows.statements import (
    MANY,
    ONE_REVISION,
    Queries,
    check_name,
    in_campaign,
    same,
    these,
    unknown_figure,
)
from panelwise.domain import Figure, InvalidAnnotation, StoreError
from panelwise.formats import keeping_pairs

#: Words of a search at most, and their characters together: each is a part of the statement, which has limits.
MOST_WORDS, MOST_SOUGHT = 50, 1_000

_LATEST = same(revisions, figures, *ONE_REVISION)
_FIGURE = select(revisions).join(figures, _LATEST).where(figures.c.figure_id == bindparam("figure_id"))
_ASKED_FOR = these(figures)
_FIGURES = select(revisions).join(figures, _LATEST).where(_ASKED_FOR)
_CONTENTS = select(revisions.c.figure_id, revisions.c.content).join(figures, _LATEST).where(_ASKED_FOR)
_PRESENT = select(figures).where(_ASKED_FOR)
_EVERY_REVISION = select(revisions).where(these(revisions))


class Shown(StrEnum):
    """The filter of a gallery; all but the first and the last concern figures of the campaign."""

    ALL = "all"
    IN_CAMPAIGN = "in the campaign"
    UNASSIGNED = "not assigned"
    ASSIGNED = "assigned"
    SUBMITTED = "with work"
    ADJUDICATED = "adjudicated"
    WITHDRAWN = "withdrawn"


_BY_WORK = (Shown.SUBMITTED, Shown.ADJUDICATED)
_HERE, _FIGURE_ID = in_campaign(figures.c.figure_id), figures.c.figure_id
_SHOWN: Mapping[Shown, tuple[ColumnElement[bool], ...]] = {
    Shown.ALL: (),
    Shown.IN_CAMPAIGN: (_HERE,),
    Shown.UNASSIGNED: (_HERE, _FIGURE_ID.not_in(select(tasks.c.figure_id))),
    Shown.ASSIGNED: (_HERE, _FIGURE_ID.in_(select(tasks.c.figure_id))),
    Shown.SUBMITTED: (_HERE, _FIGURE_ID.in_(select(annotation_table.c.figure_id))),
    Shown.ADJUDICATED: (_HERE, _FIGURE_ID.in_(select(queue.c.figure_id).where(queue.c.decided))),
    Shown.WITHDRAWN: (not_(_HERE),),
}


class UnknownFigure(StoreError):
    """The campaign has no figure with that id."""


class FigureQueries(Queries):
    """Figures with their revisions."""

    def add(self, figure: Figure) -> bool:
        """Add a figure under its revision number; False if an equal one is stored.

        A figure without question-answer pairs equals a stored one with some. Raises StoreError if the id is stored
        with other content: use `replace`.
        """
        (outcome,) = self.add_many([figure])
        if isinstance(outcome, StoreError):
            raise outcome
        return outcome

    def add_many(self, many: Sequence[Figure]) -> list[bool | StoreError]:
        """Add many figures; returns for each whether it is new, or the error that `add` would raise.

        A refused figure does not affect the others.
        """
        rows = [_row_or_error(figure) for figure in many]
        sound = zip(many, rows, strict=True)
        ids = [figure.id for figure, row in sound if not isinstance(row, StoreError)]
        contents = {row["figure_id"]: row["content"] for row in self._of_figures(_CONTENTS, ids, page=MANY)}
        outcomes: list[bool | StoreError] = []
        new: dict[str, tuple[Figure, dict[str, Any]]] = {}
        for figure, row in zip(many, rows, strict=True):
            if isinstance(row, StoreError):
                outcomes.append(row)
            elif figure.id in new:
                earlier, its_row = new[figure.id]
                outcomes.append(its_row["content"] != row["content"] and _unlike(earlier, figure))
            elif figure.id in contents:
                same = contents[figure.id] == row["content"]
                outcomes.append(not same and _unlike(self.get(figure.id), figure))
            else:
                try:
                    check_name(figure.id)
                except StoreError as error:
                    outcomes.append(error)
                    continue
                new[figure.id] = (figure, row)
                outcomes.append(True)
        added = [row for _, row in new.values()]
        heads = [{"figure_id": row["figure_id"], "revision": row["revision"]} for row in added]
        self._insert_many(figures, heads)
        self._insert_many(revisions, added)
        return outcomes

    def by_id(self, ids: Sequence[str]) -> dict[str, Figure]:
        """Return the known ones of the figures in their latest revision, by id."""
        rows = self._of_figures(_FIGURES, ids, page=MANY)
        return {row["figure_id"]: figure_mapping.figure_from(row) for row in rows}

    def replace(self, figure: Figure) -> Figure:
        """Replace the figure's content; returns the figure as stored.

        Another caption, tokenization or image makes a new revision, and existing work stays with the old one; an
        earlier revision with this caption and image becomes current again, with its work. Other changes
        (references, source, unknown keys) are made in place. A new revision gets the next number, or
        `figure.revision` if that is higher: another home uses it. A stored image of the same size stays if the new
        content has none, and so do question-answer pairs. Raises StoreError if the figure is unknown.
        """
        there = self.get(figure.id)
        wanted = figure = keeping_pairs(figure, there)
        if not figure.image and (figure.width, figure.height) == (there.width, there.height):
            wanted = replace(figure, image=there.image, image_sha256=there.image_sha256)
        every = self.revisions(figure.id)
        same = revision_like(wanted, there, every)
        number = max(every[-1].revision + 1, figure.revision) if same is None else same.revision
        renewed = replace(wanted, revision=number)
        row = figure_mapping.figure_row(renewed)
        if same is None:
            self._insert(revisions, row)
        elif figure_mapping.figure_row(same)["content"] != row["content"]:
            key = {"figure_id": figure.id, "revision": row["revision"]}
            self._put(revisions, key, {name: row[name] for name in ("content", "frame", "payload")})
        if renewed.revision != there.revision:
            self._put(figures, {"figure_id": figure.id}, {"revision": renewed.revision})
            self._write(closed_unwritten(figure.id))
            EntryQueries(self._session).requeue([figure.id])
        return self.get(figure.id)

    def get(self, figure_id: str, *, revision: int | None = None) -> Figure:
        """Return the figure in its current or the given revision. Raises StoreError if unknown."""
        if revision is not None:
            row = self._first(
                select(revisions).where(revisions.c.figure_id == figure_id, revisions.c.revision == revision)
            )
            if row is None and self.has(figure_id):
                raise StoreError(
                    f"figure {quoted(figure_id)} has no revision {revision} in the store; import it first"
                )
        else:
            row = self._first(_FIGURE, figure_id=figure_id)
        if row is None:
            raise unknown_figure(figure_id)
        return figure_mapping.figure_from(row)

    def existing(self, figure_id: str) -> Figure:
        """Return the figure in its current revision. Raises UnknownFigure."""
        row = self._first(_FIGURE, figure_id=figure_id)
        if row is None:
            raise UnknownFigure(f'figure "{figure_id}" is not in this campaign; look for it in the queue')
        return figure_mapping.figure_from(row)

    def revisions(self, figure_id: str) -> list[Figure]:
        """Return all revisions of the figure, first to last; empty if the figure is unknown."""
        rows = self._rows(
            select(revisions).where(revisions.c.figure_id == figure_id).order_by(revisions.c.revision)
        )
        return [figure_mapping.figure_from(row) for row in rows]

    def all_revisions(self, ids: Sequence[str]) -> dict[str, tuple[int, list[Figure]]]:
        """Return, by figure id, the number of the current revision and all revisions in no order."""
        present = {row["figure_id"]: row["revision"] for row in self._of_figures(_PRESENT, ids, page=MANY)}
        found: dict[str, tuple[int, list[Figure]]] = {name: (number, []) for name, number in present.items()}
        for row in self._of_figures(_EVERY_REVISION, ids, page=MANY):
            found[row["figure_id"]][1].append(figure_mapping.figure_from(row))
        return found

    def has(self, figure_id: str) -> bool:
        """Return True if the store has this figure."""
        return self._first(select(figures.c.figure_id).where(figures.c.figure_id == figure_id)) is not None

    def all(self) -> Iterator[Figure]:
        """Yield every figure in its latest revision, by id (code-point order), without withdrawn ones."""
        for page in self._pages(select(figures).where(in_campaign(figures.c.figure_id)), figures.c.figure_id):
            found = self._figures_of(page)
            for row in page:
                yield found[row["figure_id"], row["revision"]]

    def gallery(
        self,
        words: Sequence[str],
        *,
        after: str = "",
        backward: bool = False,
        limit: int,
        shown: Shown = Shown.IN_CAMPAIGN,
        batch: tuple[str, int] | None = None,
        hidden: Hidden | None = None,
    ) -> list[Figure]:
        """Figures by id, after an id, whose id, caption or source has every one of the words, in any case.

        backward: those before the id instead, the nearest first. batch: those of a phase's batch only. hidden:
        without these where `shown` tells figures by the work on them. Raises InvalidAnnotation for too many words.
        """
        if len(words) > MOST_WORDS or sum(map(len, words)) > MOST_SOUGHT:
            raise InvalidAnnotation(
                f"the search has more than {MOST_WORDS} words or {MOST_SOUGHT:,} characters; shorten it"
            )
        # Of those that are found by words, many are not what is sought: more and more are read at once.
        size = 2 * limit if words else limit
        order = figures.c.figure_id.desc() if backward else figures.c.figure_id
        statement = select(revisions).join(figures, _LATEST).where(*_SHOWN[shown]).order_by(order)
        if shown in _BY_WORK:
            statement = statement.where(outside(hidden, figures.c.figure_id))
        if batch is not None:
            of_batch = select(tasks.c.figure_id).where(tasks.c.phase == batch[0], tasks.c.batch == batch[1])
            statement = statement.where(figures.c.figure_id.in_(of_batch))
        for word in words:
            # The payload has keys and token ids too: what it matches is looked at more closely below.
            within = (self._contains(each, word) for each in (figures.c.figure_id, revisions.c.payload))
            statement = statement.where(or_(*within))
        found: list[Figure] = []
        while len(found) < limit:
            further = figures.c.figure_id < after if backward else figures.c.figure_id > after
            rows = self._rows(statement.where(further).limit(size))
            hits = (row for row in rows if _has(figure_mapping.text_of(row), words))
            found += map(figure_mapping.figure_from, islice(hits, limit - len(found)))
            if len(rows) < size:
                break
            after, size = str(rows[-1]["figure_id"]), min(2 * size, MANY)
        return found

    def _contains(self, text: ColumnElement[str], word: str) -> ColumnElement[bool]:
        """Return the condition that a text has a word, in any case of ASCII letters at least."""
        escaped = re.sub("([/%_])", r"/\1", word)
        pattern = f"%{escaped}%"
        if self._session.connection.dialect.name == "sqlite":
            return text.like(pattern, escape="/")  # ignores case already: without it twice as fast
        return text.ilike(pattern, escape="/")

    def count(self) -> int:
        """Count the figures, without withdrawn ones."""
        # Both are counted without looking at each figure: the first is what SQLite does fastest.
        every = self._scalar(select(func.count()).select_from(figures))
        out = select(func.count(withdrawals.c.figure_id.distinct())).where(withdrawals.c.restored_at.is_(None))
        return int(every) - int(self._scalar(out))


def _has(text: str, words: Sequence[str]) -> bool:
    """Return whether a text has all of the words, ignoring case."""
    folded = text.lower()
    return all(word.lower() in folded for word in words)


def revision_like(figure: Figure, present: Figure, every: Sequence[Figure]) -> Figure | None:
    """Return the revision that becomes current if `figure` replaces the present one; None for a new revision."""
    return next((each for each in (present, *reversed(every)) if _shows_the_same(each, figure)), None)


def _shows_the_same(old: Figure, new: Figure) -> bool:
    """Return True if boxes and token ids mean the same on both; a missing image counts as equal."""
    if figure_mapping.figure_frame(old) != figure_mapping.figure_frame(new):
        return False
    return old.image_sha256 == new.image_sha256 or not old.image_sha256 or not new.image_sha256


def _row_or_error(figure: Figure) -> dict[str, Any] | StoreError:
    try:
        return figure_mapping.figure_row(figure)
    except StoreError as error:
        return error


def _unlike(there: Figure, figure: Figure) -> StoreError | bool:
    """Return why `figure` can't be added beside the stored one; False if they are equal."""
    figure = keeping_pairs(figure, there)
    if there == replace(figure, revision=there.revision):
        return False
    differing = ", ".join(_differences(there, figure))
    return StoreError(
        f"figure {quoted(figure.id)} is in the store with {differing}; "
        "give --revise to replace it, or give the new one a figure_id of its own"
    )


#: What a user calls the fields of a figure. After an import without images `extra` keeps the image's name.
_CALLED = {
    "image": "another image",
    "width": "another size",
    "height": "another size",
    "caption": "another caption",
    "references": "other references",
    "document": "another document",
    "source": "another source",
    "extra": "other unknown keys",
    "imported": "other question-answer pairs or another type",
    "image_sha256": "another image",
}


def _differences(old: Figure, new: Figure) -> list[str]:
    """Return the names of the differing fields for a message: at most three."""
    differing = (called for name, called in _CALLED.items() if getattr(old, name) != getattr(new, name))
    return list(dict.fromkeys(differing))[:3]
