"""Names of files found in a folder, which become ids and paths in records."""

from __future__ import annotations

from pathlib import Path

from panelwise.files.jsonl import Problems


def can_be_written(name: str, folder: Path, problems: Problems) -> bool:
    """Return whether a file's name is UTF-8 text, as records are; any other is a problem."""
    try:
        name.encode()
    except UnicodeEncodeError:
        shown = name.encode("ascii", "backslashreplace").decode()
        problems.add(f"{folder}: the name of {shown} is not UTF-8; rename the file")
        return False
    return True
