"""Text files that list keywords or ids, one a line."""

from __future__ import annotations

from pathlib import Path

from panelwise.domain import FormatError
from panelwise.files import open_input


def read_list(path: Path) -> list[str]:
    """Return the lines of a UTF-8 file without blank ones and comments (#), white space at their ends removed.

    Raises FormatError if it cannot be read or has no such line.
    """
    with open_input(path) as file:
        try:
            lines = [line.strip() for line in file.read().decode("utf-8-sig").splitlines()]
        except UnicodeDecodeError as error:
            raise FormatError(f"{path}: not UTF-8 (byte {error.start}); save the file as UTF-8") from None
    entries = [line for line in lines if line and not line.startswith("#")]
    if not entries:
        raise FormatError(f"{path}: is empty; give one entry a line")
    return entries
