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
#: How file systems without hard links refuse them.
_NO_HARD_LINKS = (errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
#: Links followed one after the other, as many as the kernel follows.
_MOST_LINKS = 40


@contextmanager
def whole_file(
    path: Path, *, lasting: bool = True, changed: int | None = None, mode: int = 0o666, new: bool = False
) -> Iterator[BinaryIO]:
    """A file to write to, which appears under `path` when all went well, and not at all otherwise.

    A link stays, and what it points to is replaced. lasting: the file, and its name in its folder, are on the disk
    then, whatever happens to the power. changed: the time of writing that it is to bear, in nanoseconds; None for
    now. mode: who may read it, less the umask. new: refuse to replace a file. Raises OSError with the file's name,
    also where `path` is there and is no plain file; FileExistsError where it is there and new is asked for.
    """
    place = _place(path)
    above = _make_folder(place.parent)
    partial = place.with_name(f".{place.name.encode()[:60].decode(errors='ignore')}.{secrets.token_hex(8)}")
    try:
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        with os.fdopen(handle, "wb", _BUFFER) as file:
            yield file
            if lasting:
                file.flush()
                os.fsync(file.fileno())
        if changed is not None:
            os.utime(partial, ns=(changed, changed))
        if new:
            _put_new(partial, place)
        else:
            os.replace(partial, place)
        if lasting:
            for folder in above:
                sync_folder(folder)
    except BaseException as error:
        with suppress(OSError):  # Some file systems refuse to remove even what is not there.
            partial.unlink()
        if isinstance(error, OSError) and error.filename in (None, str(partial)):
            # Not the name that is gone; a full disk names none.
            error.filename, error.filename2 = str(path), None
        raise


def _make_folder(folder: Path) -> list[Path]:
    """Make a folder where there is none; returns it and every folder that got a new entry by that."""
    changed = [folder]
    while not changed[-1].exists():
        changed.append(changed[-1].parent)
    folder.mkdir(parents=True, exist_ok=True)
    return changed


def _put_new(partial: Path, place: Path) -> None:
    """Give a file its name unless another one has it. Raises FileExistsError."""
    try:
        os.link(partial, place)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if os.path.lexists(place):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(place)) from None
        os.replace(partial, place)
    else:
        partial.unlink()


def sync_folder(folder: Path) -> None:
    """See that the names in a folder are on the disk: a file that was renamed may otherwise be gone, or old."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # Some network file systems do not offer it.
            raise
    finally:
        os.close(handle)


def put_folder(made: Path, place: Path) -> None:
    """Rename a folder once all that is in it is on the disk; its new name is on the disk then, too."""
    for each in made.rglob("*"):
        if each.is_file() and not each.is_symlink():
            with each.open("rb") as file:
                os.fsync(file.fileno())
        elif each.is_dir():
            sync_folder(each)
    sync_folder(made)
    made.rename(place)
    sync_folder(place.parent)


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


def write_whole(
    path: Path,
    data: bytes,
    *,
    lasting: bool = False,
    changed: int | None = None,
    mode: int = 0o666,
    new: bool = False,
) -> None:
    """Write a file that appears whole or not at all; see `whole_file`."""
    with whole_file(path, lasting=lasting, changed=changed, mode=mode, new=new) as file:
        file.write(data)
