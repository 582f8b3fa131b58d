"""Files that appear whole or not at all, whoever else writes them and whatever breaks off."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

#: Bytes written at once; a record of gold alone is longer than Python's own buffer.
_BUFFER = 1 << 20
#: Links followed one after the other, as many as the kernel follows.
_MOST_LINKS = 40


@contextmanager
def whole_file(path: Path, *, lasting: bool = True, changed: int | None = None) -> Iterator[BinaryIO]:
    """A file to write to, which appears under `path` when all went well, and not at all otherwise.

    A link stays, and what it points to is replaced. lasting: the file is on the disk then, whatever happens to
    the power. changed: the time of writing that it is to bear, in nanoseconds; None for now. Raises OSError with
    the file's name, also where `path` is there and is no plain file.
    """
    place = _place(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    partial = place.with_name(f".{place.name.encode()[:60].decode(errors='ignore')}.{secrets.token_hex(8)}")
    try:
        with partial.open("xb", _BUFFER) as file:
            yield file
            if lasting:
                file.flush()
                os.fsync(file.fileno())
        if changed is not None:
            os.utime(partial, ns=(changed, changed))
        os.replace(partial, place)
    except BaseException as error:
        with suppress(OSError):  # Some file systems refuse to remove even what is not there.
            partial.unlink()
        if isinstance(error, OSError) and error.filename in (None, str(partial)):
            # Not the name that is gone; a full disk names none.
            error.filename, error.filename2 = str(path), None
        raise


def _place(path: Path) -> Path:
    """The plain file that `path` is or leads to, there or not yet. Raises OSError for what is none."""
    place = path
    for _ in range(_MOST_LINKS):
        if not place.is_symlink():
            break
        folder = Path(os.path.realpath(place.parent))
        if folder.is_relative_to("/proc"):  # Standard output and the like, even where it goes to a plain file.
            raise _no_plain_file(path)
        place = folder / os.readlink(place)
    try:
        mode = place.stat().st_mode
    except FileNotFoundError:
        return place
    except OSError as error:
        error.filename = str(path)
        raise
    if stat.S_ISDIR(mode):
        raise OSError(errno.EISDIR, "is a directory; name a file in it", str(path))
    if not stat.S_ISREG(mode):
        raise _no_plain_file(path)
    return place


def _no_plain_file(path: Path) -> OSError:
    return OSError(errno.EINVAL, "is no plain file; name a file to write", str(path))


def write_whole(path: Path, data: bytes, *, lasting: bool = False, changed: int | None = None) -> None:
    """Write a file that appears whole or not at all; see `whole_file`."""
    with whole_file(path, lasting=lasting, changed=changed) as file:
        file.write(data)
