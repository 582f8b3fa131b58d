"""Refuse to take several people's work in one file as one person's."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from panelwise.domain.errors import FormatError

#: Authors that a message lists.
_LISTED = 8


def check_one_author(path: Path, authors: Iterable[str], account: str, also: str = "") -> None:
    """Raise FormatError if a file holds several authors' work and `account` chooses none of them.

    authors: as the file names them, in any order. account: "" for no choice. also: what else can be done.
    """
    names = sorted(set(authors))
    shown = ", ".join(names[:_LISTED]) + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "")
    if account and account not in names:
        raise FormatError(
            f'{path}: holds no work of "{account}", only of {shown or "unnamed authors"}; see --account'
        )
    if len(names) > 1 and not account:
        raise FormatError(
            f"{path}: holds work of {len(names)} annotators ({shown}), which would become one person's; choose "
            f"one with --account{also}"
        )
