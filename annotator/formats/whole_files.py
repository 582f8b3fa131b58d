"""Files that appear whole or not at all, whoever else writes them and whatever breaks off."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

#: Bytes written at once; a record of gold alone is longer than Python's own buffer.
_BUFFER = 1 << 20


@contextmanager
def whole_file(path: Path, *, lasting: bool = True, changed: int | None = None) -> Iterator[BinaryIO]:
    """A file to write to, which appears under `path` when all went well, and not at all otherwise.

    lasting: it is on the disk then, whatever happens to the power. changed: the time of writing that it is to
    bear, in nanoseconds; None for now. Raises OSError with the file's name.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name.encode()[:60].decode(errors='ignore')}.{secrets.token_hex(8)}")
    try:
        with partial.open("xb", _BUFFER) as file:
            yield file
            if lasting:
                file.flush()
                os.fsync(file.fileno())
        if changed is not None:
            os.utime(partial, ns=(changed, changed))
        os.replace(partial, path)
    except BaseException as error:
        partial.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(partial)):
            error.filename = str(path)  # Not the name that is gone; a full disk names none.
        raise


def write_whole(path: Path, data: bytes, *, lasting: bool = False, changed: int | None = None) -> None:
    """Write a file that appears whole or not at all; see `whole_file`."""
    with whole_file(path, lasting=lasting, changed=changed) as file:
        file.write(data)
