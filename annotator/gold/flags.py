"""Figures that reviewers flagged for the guidelines, with questions for their next version."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from annotator.campaign.pseudonyms import FreeText, Names, naming
from panelwise.domain.annotation import Status
from panelwise.domain.decision import ErrorKind
from panelwise.files.csv_safe import as_text
from panelwise.formats.annotations import time_text

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.store import Store

#: Maximum length of a caption on the page.
EXCERPT = 200
#: Columns of the flags as CSV, which are the keys of their records.
COLUMNS = (
    *("figure_id", "revision", "guideline_flag", "error_kind", "note", "status"),
    *("reviewer", "decided_at", "version", "caption"),
)


@dataclass(frozen=True, slots=True)
class Flag:
    """A reviewer's question for the guidelines. version: of the decision with the flag."""

    figure_id: str
    revision: int
    caption: str
    text: str
    kind: ErrorKind | None
    note: str
    status: Status
    reviewer: str
    at: datetime
    version: int


def flagged(store: Store) -> Iterator[Flag]:
    """Return figures whose last decision has a flag, by figure id, including reopened ones."""
    with store.read() as tx:
        for each in tx.decisions.flagged():
            yield Flag(
                each.figure.id,
                each.figure.revision,
                each.figure.caption.text,
                each.guideline_flag,
                each.error_kind,
                each.note,
                each.status,
                each.reviewer,
                each.decided_at,
                each.version,
            )


def flag_records(
    home: Home, store: Store, warnings: list[str], *, names: Names = Names.REAL
) -> Iterator[dict[str, Any]]:
    """The flags as records, keys as `COLUMNS`; what the lead must know is added to `told`."""
    with store.read() as tx:
        of = naming(home, tx, names)
        text = FreeText(tx.names.all()) if names is Names.PSEUDONYMS else None
    for flag in flagged(store):
        if text is not None:
            text.look_at_texts(flag.figure_id, (flag.text, flag.note))
        yield {
            "figure_id": flag.figure_id,
            "revision": flag.revision,
            "guideline_flag": flag.text,
            "error_kind": flag.kind,
            "note": flag.note,
            "status": flag.status,
            "reviewer": of(flag.reviewer),
            "decided_at": time_text(flag.at),
            "version": flag.version,
            "caption": flag.caption,
        }
    warnings += text.warnings() if text is not None else []


def csv_text(records: Iterable[Mapping[str, Any]]) -> str:
    """Format the records as CSV (RFC 4180) with the header `COLUMNS`.

    A text that a spreadsheet would read as a formula gets an apostrophe in front.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    writer.writerows([_cell(record[name]) for name in COLUMNS] for record in records)
    return text.getvalue()


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return as_text(text)
