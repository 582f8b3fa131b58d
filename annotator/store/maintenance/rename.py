"""Replace a person's name in every table: the only change that the append-only tables allow."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from shlex import quote
from typing import Any

from sqlalchemy import (
    Column,
    Delete,
    Table,
    Text,
    UniqueConstraint,
    Update,
    bindparam,
    exists,
    false,
    select,
    union,
)

from annotator.store.database.errors import quoted
from annotator.store.database.tables import (
    APPEND_ONLY,
    PERSON,
    TYPED_NAME,
    annotation_table,
    api_tokens,
    columns_with,
    decisions,
    links,
    metadata,
    people,
    predictions,
    projects,
    queue_counts,
    queue_facets,
    queue_texts,
    settings,
    sign_ins,
)
from annotator.store.database.values import to_json
from annotator.store.rows.records import RENAMINGS, Facet
from annotator.store.rows.statements import Queries, check_name
from panelwise.domain import NAME_DIFFERENCE, InvalidAnnotation, Person, StoreError, name_key

#: Every column that holds the name of a person and nothing else.
NAME_COLUMNS = columns_with(PERSON)
#: Those, and the names typed at sign-in.
_RENAMED = (*NAME_COLUMNS, *columns_with(TYPED_NAME))
#: Shorter names are not looked for in running text: they are words, initials and labels there.
SHORTEST_SOUGHT = 3

#: An escaped blank of JSON, or an escaped backslash: what follows that is text.
_ESCAPE = re.compile(r"\\(?:([nrtbf])|\\)")


class NameQueries(Queries):
    """Names of people in every table."""

    def all(self) -> set[str]:
        """Return every name of a person in use: with an account, tasks, work, decisions or a project."""
        found = self._rows(union(*(select(column.label("name")) for column in NAME_COLUMNS)))
        return {row["name"] for row in found} - {""}

    def model_versions(self) -> set[str]:
        """Return every model version that has a prediction in the store."""
        return {row["model_version"] for row in self._rows(select(predictions.c.model_version).distinct())}

    def rename(self, old: str, new: str, *, forget: bool = False) -> dict[str, int]:
        """Replace a person's name in every table; returns the number of changed rows by table.

        forget: also delete e-mail, password, API tokens and the addresses of sign-ins, and make the person
        inactive. Free text (notes, captions) stays as it is: see `mentions`. Raises StoreError if `old` is
        unknown, or if `new` is the name of a person or a model.
        """
        self._check_renaming(old, new)
        counts: dict[str, int] = {}
        with self._changeable():
            for column in _RENAMED if new != old else ():
                _count(counts, column.table.name, self._write(_renaming(column), {"old": old, "new": new}))
            if new != old:
                self._rename_facets(old, new)
                _count(counts, decisions.name, self._rename_based_on(old, new))
                self._rename_origins(old, new)
                self._count_renaming()
            if forget:
                self._write(sign_ins.update().where(sign_ins.c.name == new).values(address=""))
        if forget:
            gone = {"email": "", "password_hash": None, "active": False}
            self._write(people.update().where(people.c.name == new).values(gone))
            self._write(api_tokens.delete().where(api_tokens.c.person == new))
        return counts

    def join(self, old: str, new: str) -> dict[str, int]:
        """Merge one spelling of a name into the other; returns the number of changed rows by table.

        If both have the same task, link or hand-in, that of `new` stays; all annotations and decisions stay. Of
        two projects for one phase that of `new` stays. The queue must be rebuilt afterwards. Raises StoreError
        unless both are known and are spellings of one name.
        """
        there = self.all()
        for name in (old, new):
            if name not in there:
                raise StoreError(f"no person here is named {quoted(name)}; see `annotator user list`")
        if old == new or name_key(old) != name_key(new):
            raise StoreError(
                f"{quoted(old)} and {quoted(new)} are no spellings of one name (these differ {NAME_DIFFERENCE}); "
                "two people cannot be made one"
            )
        counts: dict[str, int] = {}
        with self._changeable():
            self._join_accounts(old, new)
            kept = projects.alias()
            stays = exists().where(kept.c.annotator == new, kept.c.phase == links.c.phase)
            _count(counts, links.name, self._write(links.delete().where(links.c.annotator == old, stays)))
            for column in _RENAMED:
                _count(
                    counts, column.table.name, self._write(_removal_of_doubles(column), {"old": old, "new": new})
                )
                _count(counts, column.table.name, self._write(_renaming(column), {"old": old, "new": new}))
            _count(counts, decisions.name, self._rename_based_on(old, new))
            self._count_renaming()
        return counts

    def _join_accounts(self, old: str, new: str) -> None:
        """Give the account of `new` what only that of `old` has: roles, an e-mail, a password."""
        found = {row["name"]: row for row in self._rows(select(people).where(people.c.name.in_([old, new])))}
        if len(found) == 2:
            theirs, stays = found[old], found[new]
            # A disabled account brings back no token, and neither roles nor password unless both are disabled.
            counts = theirs["active"] or not stays["active"]
            values = {
                "roles": " ".join(sorted({*(theirs["roles"].split() if counts else ()), *stays["roles"].split()})),
                "email": stays["email"] or theirs["email"],
                "active": stays["active"] or theirs["active"],
                "password_hash": stays["password_hash"] or (theirs if counts else stays)["password_hash"],
            }
            self._write(people.update().where(people.c.name == new).values(values))
            disabled = [name for name, row in found.items() if not row["active"]]
            self._write(api_tokens.delete().where(api_tokens.c.person.in_(disabled)))

    def mentions(self, name: str) -> dict[str, tuple[str, ...]]:
        """Find a name as a whole word, in any case: table -> figure ids (else keys), in order.

        Every text of every table is searched. Names below three characters are not: ().
        """
        found: dict[str, tuple[str, ...]] = {}
        if len(name) < SHORTEST_SOUGHT:
            return found
        for table in metadata.sorted_tables:
            if table is queue_texts:
                continue  # words of captions, which stand in the figures
            rows = {
                str(row["figure_id"] if "figure_id" in row else next(iter(row.values()))): None
                for column in table.columns
                if isinstance(column.type, Text)
                for row in self._mentioning(table, column, name)
            }
            if rows:
                found[table.name] = tuple(rows)
        return found

    def _mentioning(self, table: Table, column: Column[Any], name: str) -> Iterator[Any]:
        # Payloads are JSON: a name with a quotation mark or backslash is written otherwise there.
        sought = to_json(name)[1:-1] if column.name in ("payload", "value") else name
        word = whole_word(sought)
        keys = list(table.primary_key.columns)
        shown = [*keys, *(each for each in (table.columns.get("figure_id"), column) if each is not None)]
        wanted = list(dict.fromkeys(shown))
        for page in self._pages(select(*wanted).where(column.icontains(sought, autoescape=True)), *keys):
            yield from (row for row in page if word.search(without_escaped_blanks(row[column.name])))

    def _check_renaming(self, old: str, new: str) -> None:
        check_name(new)
        try:
            Person(new, frozenset())
        except InvalidAnnotation as error:
            raise StoreError(str(error)) from None
        if not new.isprintable():
            raise StoreError(f"the name {quoted(new, 40)} holds control characters; give one without")
        there = self.all()
        if old not in there:
            raise StoreError(f"no person here is named {quoted(old)}; see `annotator user list`")
        if new != old and new in there:
            mend = "two people cannot be made one"
            if name_key(old) == name_key(new):
                mend = f"run annotator user join {quote(old)} {quote(new)} to make these spellings one"
            raise StoreError(f"somebody is called {quoted(new)} already; {mend}")
        if new in self.model_versions():
            raise StoreError(f"a model is called {quoted(new)}; give the person another name")
        for other in sorted(there - {old, new}):
            if name_key(other) == name_key(new):
                raise StoreError(
                    f"{quoted(new)} differs {NAME_DIFFERENCE} from {quoted(other)}; give another name"
                )

    @contextmanager
    def _changeable(self) -> Iterator[None]:
        """Let this transaction change rows of the append-only tables.

        Their triggers are dropped in this transaction alone: other connections never see that, they are back
        by then, and no other writer can come in between.
        """
        if self._session.connection.dialect.name == "sqlite":
            marks = ", ".join("?" * len(APPEND_ONLY))
            triggers = self._session.connection.exec_driver_sql(
                f"SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN ({marks}) "
                "ORDER BY name",
                APPEND_ONLY,
            ).all()
            away = [f'DROP TRIGGER "{name}"' for name, _ in triggers]
            back = [text for _, text in triggers]
        else:
            # Locks out writers only: those who read go on.
            away = [f"ALTER TABLE {table} DISABLE TRIGGER USER" for table in APPEND_ONLY]
            back = [f"ALTER TABLE {table} ENABLE TRIGGER USER" for table in APPEND_ONLY]
        self._run(away)
        try:
            yield
        finally:
            # After an error of the database nothing is committed, and nothing can be run any more.
            if self._session.failure is None:
                self._run(back)

    def _run(self, statements: list[str]) -> None:
        self._check_writable()
        with self._asking():
            for statement in statements:
                self._session.connection.exec_driver_sql(statement)

    def _rename_facets(self, old: str, new: str) -> None:
        """Let the queue be filtered by the new name; a phase or cause that is called like the person stays."""
        for table in (queue_facets, queue_counts):
            people_only = table.c.kind.in_((Facet.ANNOTATOR, Facet.REVIEWER))
            self._write(table.update().where(people_only, table.c.value == old).values(value=new))

    def _count_renaming(self) -> None:
        """Change the mark of annotations, so that results cached under names are recomputed."""
        before = self._scalar(select(settings.c.value).where(settings.c.name == RENAMINGS))
        self._put(settings, {"name": RENAMINGS}, {"value": str(int(before or 0) + 1)})

    def _rename_based_on(self, old: str, new: str) -> int:
        """Replace the name in `based_on` of the decisions' payloads; returns how many had it."""
        coarse = decisions.c.payload.contains(to_json(old), autoescape=True)
        statement = select(decisions.c.id, decisions.c.payload).where(coarse)
        update = decisions.update().where(decisions.c.id == bindparam("key"))
        count = 0
        for page in self._pages(statement, decisions.c.id):
            changed = []
            for row in page:
                value = json.loads(row["payload"])
                if old in value.get("based_on", ()):
                    names = [new if name == old else name for name in value["based_on"]]
                    value["based_on"] = list(dict.fromkeys(names))
                    changed.append({"key": row["id"], "payload": to_json(value)})
            if changed:
                self._write(update.values(payload=bindparam("payload")), changed)
                count += len(changed)
        return count

    def _rename_origins(self, old: str, new: str) -> None:
        """Replace the name in the names of files that annotations were imported from."""
        origin = annotation_table.c.origin
        word = whole_word(old)
        statement = select(origin).where(origin.icontains(old, autoescape=True)).distinct()
        for row in self._rows(statement):
            renamed = word.sub(lambda _: new, row["origin"])
            if renamed != row["origin"]:
                self._write(annotation_table.update().where(origin == row["origin"]).values(origin=renamed))


def whole_word(text: str) -> re.Pattern[str]:
    """Return a pattern for the text as a whole word, ignoring case."""
    return re.compile(rf"(?<![^\W_]){re.escape(text)}(?![^\W_])", re.IGNORECASE)


def without_escaped_blanks(text: str) -> str:
    """JSON text with a blank for each escaped line break or tab, whose letter is none of the next word."""
    return _ESCAPE.sub(lambda found: " " if found[1] else found[0], text)


def _removal_of_doubles(column: Column[Any]) -> Delete:
    """Removes the rows of `old` of which `new` has one with the same key."""
    table = column.table
    assert isinstance(table, Table)
    keys = [set(table.primary_key.columns)]
    keys += [
        set(constraint.columns) for constraint in table.constraints if isinstance(constraint, UniqueConstraint)
    ]
    others = next((key - {column} for key in keys if column in key), None)
    if others is None:
        return table.delete().where(false())
    kept = table.alias()
    same = [kept.c[each.name] == each for each in others]
    double = exists().where(kept.c[column.name] == bindparam("new"), *same)
    return table.delete().where(column == bindparam("old"), double)


def _renaming(column: Column[Any]) -> Update:
    table = column.table
    assert isinstance(table, Table)
    return table.update().where(column == bindparam("old")).values({column.name: bindparam("new")})


def _count(counts: dict[str, int], table: str, rows: int) -> None:
    if rows:
        counts[table] = counts.get(table, 0) + rows
