"""Find who made the work in a file, and refuse to take several people's as one person's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from panelwise.domain.errors import FormatError
from panelwise.files.values import is_missing
from panelwise.runtime.messages import first_of

#: Keys that say who did the work of a record, in any case; the last two are Prodigy's.
OF_WORK = ("rater_id", "annotator", "annotator_id", "annotated_by", "_annotator_id", "_session_id")
#: Further keys of one box; of an image they name its photographer or uploader.
_OF_BOX = ("created_by", "creator", "worker_id", "user_id", "username", "user")
#: Keys of objects that hold such keys too.
_INSIDE = ("attributes", "metadata")


def author_of(record: Mapping[str, Any], *, box: bool = False) -> str:
    """Return who did the work of a record, "" if it does not say. box: the record is of one box."""
    keys = OF_WORK + _OF_BOX if box else OF_WORK
    for inner in (record, *(record.get(name) for name in _INSIDE)):
        if not isinstance(inner, Mapping):
            continue
        named = {folded: inner[key] for key in inner if (folded := key.casefold()) in keys}
        for value in (named[key] for key in keys if key in named):
            if isinstance(value, int | str) and not isinstance(value, bool) and not is_missing(value):
                return str(value).strip()
    return ""


def check_one_author(path: Path, authors: Iterable[str], account: str, also: str = "") -> None:
    """Raise FormatError if a file holds several authors' work and `account` chooses none of them.

    authors: as the file names them, in any order. account: "" for no choice. also: what else can be done.
    """
    names = sorted(author or "one without a name" for author in set(authors))
    shown = first_of(names)
    if account and account not in names:
        raise FormatError(
            f'{path}: holds no work of "{account}", only of {shown or "unnamed authors"}; see --account'
        )
    if len(names) > 1 and not account:
        raise FormatError(
            f"{path}: holds work of {len(names)} annotators ({shown}), which would become one person's; choose "
            f"one with --account{also}"
        )
