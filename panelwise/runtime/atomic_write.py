"""Files and folders that appear whole or not at all, with concurrent writers and interruptions."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

#: Bytes written at once; one gold record is longer than Python's own buffer.
_BUFFER = 1 << 20
#: Errors of file systems without hard links.
_NO_HARD_LINKS = (errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
#: Most links followed in a chain, as in the kernel.
_MOST_LINKS = 40
#: Seconds in which a file may have been made and not locked yet.
_JUST_MADE = 2.0
#: Names under which files are written before they appear; one that a kill left stays there
#: until the same file is written again.
PARTIAL = re.compile(r"\..+\.[0-9a-f]{16}", re.DOTALL)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name the file in an OSError that names none, as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


@contextmanager
def whole_file(
    path: Path, *, lasting: bool = True, changed: int | None = None, mode: int = 0o666, new: bool = False
) -> Iterator[BinaryIO]:
    """Open a file for writing that appears under `path` on success only.

    A link stays, and its target is replaced. lasting: sync the file and its folder's entry to disk. changed:
    modification time in nanoseconds; None for now. mode: permissions, less the umask. new: refuse to replace a
    file. Raises OSError with the file's name, also if `path` exists and is no plain file; FileExistsError if it
    exists and `new` is set.
    """
    place = _place(path)
    above = _make_folder(place.parent)
    begin = f".{place.name.encode()[:60].decode(errors='ignore')}."
    partial = place.with_name(f"{begin}{secrets.token_hex(8)}")
    try:
        if lasting:
            _sweep(place.parent, begin)
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        _lock(handle)
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


def _lock(handle: int) -> bool:
    """Lock a file unless it is locked: one that is being written. The lock ends with the process, even if killed.

    False as well where there are no locks, as on Windows and some network file systems.
    """
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


def _sweep(folder: Path, begin: str) -> None:
    """Remove what killed commands left of earlier writes to the same file; what is being written stays."""
    with suppress(OSError):  # What can't be listed or removed harms nobody.
        for left in folder.iterdir():
            if not left.name.startswith(begin) or not PARTIAL.fullmatch(left.name) or left.is_symlink():
                continue
            if len(left.name) != len(begin) + 16 or time.time() - left.stat().st_mtime < _JUST_MADE:
                continue
            handle = os.open(left, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
            try:
                if _lock(handle):
                    left.unlink()
            finally:
                os.close(handle)


def _make_folder(folder: Path) -> list[Path]:
    """Create a folder if needed; returns it and every folder that got a new entry."""
    changed = [folder]
    while not changed[-1].exists():
        changed.append(changed[-1].parent)
    folder.mkdir(parents=True, exist_ok=True)
    return changed


def _put_new(partial: Path, place: Path) -> None:
    """Rename a file unless the name is used. Raises FileExistsError."""
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
    """Sync a folder's entries to disk: after a power failure a renamed file may otherwise be missing or old."""
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
    """Rename a folder once its content is on disk, and sync its new name too."""
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
    """Return the plain file that `path` is or links to, existing or not. Raises OSError for anything else."""
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


def write_all_whole(files: Mapping[Path, bytes]) -> None:
    """Write several files, of which none appears before all are written; see `whole_file`."""
    with ExitStack() as stack:
        for path, data in files.items():
            file = stack.enter_context(whole_file(path, lasting=False))
            file.write(data)
            file.flush()


@contextmanager
def locked(file: Path) -> Iterator[int]:
    """Hold the lock of a file, made if need be; waits until it is free, and ends with the process at the latest.

    Yields the file's handle, for a child process to inherit. Raises OSError if the file cannot be made.
    """
    import fcntl  # Windows has none, and what runs there takes no lock.

    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield handle
    finally:
        os.close(handle)


#: Beginnings of the names of such folders: of an import, a backup and a release in the making.
UNPACKED, BACKUP, MAKING = ".unpacked-", ".backup-", ".making-"
_RESTORING = ".restoring-"


def restoring(folder: Path) -> str:
    """Return the beginning of the names of folders beside `folder` in which it is restored."""
    return f".{folder.name[:60]}{_RESTORING}"


def is_unfinished(name: str) -> bool:
    """Return whether a file or folder of this name is one that a command prepares, or left when it was killed."""
    restored = name.startswith(".") and _RESTORING in name
    return name.startswith((UNPACKED, BACKUP, MAKING)) or restored or PARTIAL.fullmatch(name) is not None


def folders_called(place: Path, beginning: str) -> list[Path]:
    """Return the folders in `place` whose names have this beginning, in order."""
    return sorted(each for each in place.iterdir() if each.name.startswith(beginning) and each.is_dir())


@contextmanager
def scratch_folder(place: Path, beginning: str) -> Iterator[Path]:
    """Make a private folder in `place`, removed at the end unless it was renamed.

    Removes those with the same beginning that killed commands left: nobody holds their locks.
    """
    for left in folders_called(place, beginning):
        _remove_left(left)
    folder = Path(tempfile.mkdtemp(dir=place, prefix=beginning))
    lock = os.open(folder, os.O_RDONLY)
    try:
        _lock_folder(lock)
        yield folder
    finally:
        os.close(lock)
        shutil.rmtree(folder, ignore_errors=True)


def _remove_left(folder: Path) -> None:
    with suppress(OSError):  # in use, gone meanwhile, or of another user
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            # Another command may have made it just now, and not locked it yet.
            if os.listdir(handle):
                _lock_folder(handle)
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(handle)


def _lock_folder(handle: int) -> None:
    """Lock an open folder. Raises BlockingIOError if another process has locked it."""
    import fcntl  # Windows has none

    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
