"""Files and folders as arguments: what a command reads and what it writes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from panelwise.domain import AnnotatorError


class InPath(click.Path):
    """A file or folder to read, as a pathlib.Path. The empty name, of a variable that is not set, is refused.

    pathlib would take it for the current folder.
    """

    def __init__(self, *, file_okay: bool = True, dir_okay: bool = True) -> None:
        super().__init__(file_okay=file_okay, dir_okay=dir_okay, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path. Fails with wrong usage."""
        if not os.fsdecode(value).strip():
            kinds = (("file", self.file_okay), ("folder", self.dir_okay))
            self.fail(f"is empty; name a {' or a '.join(kind for kind, fits in kinds if fits)}", param, ctx)
        return super().convert(value, param, ctx)


class OutPath(InPath):
    """A file or folder to write, as a pathlib.Path; "-" and the empty name are refused."""

    def __init__(self, *, folder: bool = False) -> None:
        super().__init__(file_okay=not folder, dir_okay=folder)
        self._what = "folder" if folder else "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path. Fails with wrong usage."""
        name = os.fsdecode(value)
        if name == "-":
            self.fail(f"can't write to standard output; name a {self._what}", param, ctx)
        if self._what == "file" and name.endswith(os.sep):
            self.fail(f"{name} names a folder; name a file in it", param, ctx)
        return super().convert(value, param, ctx)


def refuse_input(out: Path | None, *inputs: Path) -> None:
    """Refuse to overwrite an input file, links resolved. Raises AnnotatorError."""
    for each in inputs:
        if out is not None and os.path.realpath(out) == os.path.realpath(each):
            raise AnnotatorError(f"{out}: is an input of this command; name another file for --out")
