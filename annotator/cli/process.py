"""A command's process as it was started: arguments, standard input, environment, current directory."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click


def check_process() -> None:
    """Open a missing standard input, set what libraries read of the environment, and check the arguments.

    A file that exists may have any name; no other argument that isn't text can be stored or written. Raises
    click.UsageError.
    """
    if sys.stdin is None:  # started with `<&-`
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    # Plots are written to files: a wrong setting of a display must not stop them.
    os.environ["MPLBACKEND"] = "agg"
    for each in sys.argv[1:]:
        try:
            each.encode()
        except UnicodeEncodeError as error:
            if not Path(each).exists():
                shown = each.encode("ascii", "backslashreplace").decode()
                encoding = sys.getfilesystemencoding()
                raise click.UsageError(f"{shown} is not text in {encoding}; write it in UTF-8") from error


def describe_os_error(error: OSError) -> str:
    """Return where and what, for one line."""
    if error.filename:
        return f"{error.filename}: {error.strerror or error}"
    try:
        os.getcwd()
    except FileNotFoundError:
        return "the current directory no longer exists; change to another"
    return error.strerror or str(error)
