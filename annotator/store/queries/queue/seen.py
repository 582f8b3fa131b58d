"""Record when others' work on a figure, or a hint about it, reached a person."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime

from sqlalchemy import Column, ColumnElement, bindparam, case, exists, func, insert, literal, or_, select

from annotator.store.database.tables import annotation_table, comments, decisions, figures, figures_seen, sent_back
from annotator.store.database.values import from_time, to_time
from annotator.store.rows.records import Contact
from annotator.store.rows.statements import Queries, check_name, these

#: Every other time at which a person knows others' work on a figure: as its reviewer or as the recipient of a
#: return. Comments that a person has read are in `figures_seen`; who writes to another has seen their work.
_CONTACTS = (
    select(figures_seen.c.figure_id, figures_seen.c.person, figures_seen.c.at, literal(0).label("returned")),
    select(decisions.c.figure_id, decisions.c.reviewer, decisions.c.decided_at, literal(0)),
    select(sent_back.c.figure_id, sent_back.c.reviewer, sent_back.c.at, literal(0)),
    select(sent_back.c.figure_id, sent_back.c.annotator, sent_back.c.at, literal(1)),
    select(comments.c.figure_id, comments.c.author, comments.c.at, literal(0)).where(
        comments.c.annotator != comments.c.author
    ),
)

#: When a person last saved own work.
_SAVED = (
    select(annotation_table.c.figure_id, func.max(annotation_table.c.saved_at).label("last"))
    .where(these(annotation_table), annotation_table.c.annotator == bindparam("person"))
    .group_by(annotation_table.c.figure_id)
)
_SEEN = select(figures_seen.c.figure_id).where(these(figures_seen), figures_seen.c.person == bindparam("person"))


class SeenQueries(Queries):
    """Figures whose work or gold people have seen."""

    def add(self, person: str, figure_ids: Collection[str], at: datetime) -> None:
        """Record that the person has seen others' work on these figures, for those not recorded yet."""
        check_name(person)
        there = {row["figure_id"] for row in self._of_figures(_SEEN, figure_ids, person=person)}
        saved = {row["figure_id"]: row["last"] for row in self._of_figures(_SAVED, figure_ids, person=person)}
        # Not before the person's own work, even if the clock was set back since.
        new = [
            {"figure_id": name, "person": person, "at": max(to_time(at), saved.get(name, ""))}
            for name in set(figure_ids) - there
        ]
        self._insert_many(figures_seen, new)

    def add_all(self, person: str, at: datetime) -> None:
        """Record that the person has seen others' work on every figure that has some."""
        check_name(person)
        own = annotation_table.c.figure_id == figures.c.figure_id, annotation_table.c.annotator == person
        last = select(func.max(annotation_table.c.saved_at)).where(*own).scalar_subquery()
        moment = case((last > to_time(at), last), else_=to_time(at))
        rows = select(figures.c.figure_id, literal(person), moment).where(
            ~_seen_by(figures.c.figure_id, person), _worked_by_others(figures.c.figure_id, person)
        )
        self._write(insert(figures_seen).from_select(["figure_id", "person", "at"], rows))

    def unseen(self, person: str, figure_ids: Collection[str]) -> list[str]:
        """Return those of the figures that others have worked on and that the person has not seen so far."""
        wanted = select(figures.c.figure_id).where(
            these(figures), ~_seen_by(figures.c.figure_id, person), _worked_by_others(figures.c.figure_id, person)
        )
        return [row["figure_id"] for row in self._of_figures(wanted, figure_ids)]

    def any_unseen(self, person: str) -> bool:
        """Return whether `add_all` would record anything."""
        wanted = select(figures.c.figure_id).where(
            ~_seen_by(figures.c.figure_id, person), _worked_by_others(figures.c.figure_id, person)
        )
        return self._first(wanted.limit(1)) is not None

    def knew(self) -> set[tuple[str, str]]:
        """Return (figure, person) where the person knows the figure: from contacts, or from work in any phase."""
        worked = select(annotation_table.c.figure_id, annotation_table.c.annotator).distinct()
        found = {(figure, person) for figure, person in (tuple(row.values()) for row in self._rows(worked))}
        return found | {(figure, person) for person, figure in self.contacts()}

    def contacts(self) -> Mapping[tuple[str, str], list[Contact]]:
        """Return (person, figure) -> when others' work or a hint about it reached the person, oldest first."""
        found: dict[tuple[str, str], list[Contact]] = defaultdict(list)
        for statement in _CONTACTS:
            for figure, person, at, returned in (tuple(row.values()) for row in self._rows(statement)):
                found[person, figure].append(Contact(from_time(at), bool(returned)))
        for times in found.values():
            times.sort(key=lambda contact: contact.at)
        return found


def _seen_by(figure_id: Column[str], person: str) -> ColumnElement[bool]:
    return exists().where(figures_seen.c.figure_id == figure_id, figures_seen.c.person == person)


def _worked_by_others(figure_id: Column[str], person: str) -> ColumnElement[bool]:
    return or_(
        exists().where(annotation_table.c.figure_id == figure_id, annotation_table.c.annotator != person),
        exists().where(decisions.c.figure_id == figure_id, decisions.c.reviewer != person),
    )
