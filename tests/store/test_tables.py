"""A column says at its table whether it holds a person or a time."""

from __future__ import annotations

from annotator.store.database.tables import PERSON, TIME, TYPED_NAME, columns_with, metadata

#: Times as another server writes them.
NOT_OURS = {("links", "updated_at")}


def marked(contents: dict[str, str]) -> set[tuple[str, str]]:
    """Return the table and name of each column with these contents."""
    return {(column.table.name, column.name) for column in columns_with(contents)}


def named(names: set[str], ending: str) -> set[tuple[str, str]]:
    """Return the table and name of each column that is called so."""
    return {
        (table.name, column.name)
        for table in metadata.tables.values()
        for column in table.columns
        if column.name in names or column.name.endswith(ending)
    }


def test_every_column_named_after_a_person_is_marked_so_that_renaming_finds_it() -> None:
    persons = named({"annotator", "reviewer", "person", "author"}, "_by")
    assert marked(PERSON) == persons | {("people", "name")}
    assert marked(TYPED_NAME) == {("sign_ins", "name")}


def test_every_column_named_after_a_time_is_marked_so_that_checking_reads_it() -> None:
    assert marked(TIME) == named({"at", "until"}, "_at") - NOT_OURS
