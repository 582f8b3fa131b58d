"""Where the columns of large files are kept, so that nobody else's file is touched and nobody else reads them."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from agreement.columns.corpus import Corpus
from agreement.reading.cache import open_columns, write_columns
from panelwise.domain.errors import one_line

#: "off" keeps no columns; a folder keeps them there.
SETTING = "PANELWISE_COLUMNS"
_ENDING = ".panelwise-cache"
_OWN = 0o600


def places(path: Path, raw: bool) -> list[Path]:
    """Where the columns of a file may be kept, the best place first; none where they are not to be."""
    setting = os.environ.get(SETTING, "").strip()
    if setting.lower() in ("off", "0", "no"):
        return []
    ending = f".official-code{_ENDING}" if raw else _ENDING
    name = f"{blake2b(os.fsencode(path.resolve()), digest_size=12).hexdigest()}{ending}"
    if setting:
        return [_folder(setting) / name]
    folder = _folder(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    return [path.with_name(path.name + ending), folder / "panelwise" / name]


def _folder(name: str) -> Path:
    # Path.expanduser raises where nobody's home is meant; this leaves the name as it is.
    return Path(os.path.expanduser(name))


def kept_at(path: Path, where: Sequence[Path]) -> list[Path]:
    """Those of the places where columns lie that may be believed; whose they are is another matter."""
    found = []
    for place in where:
        file = open_columns(place, path)
        if file is not None:
            file.close()
            found.append(place)
    return found


def keep(
    corpus: Corpus, content: str, path: Path, where: Sequence[Path], tell: Callable[[str], None] | None
) -> None:
    """Keep the columns of the file `path` in the first place that they can be written to.

    What lies there and is no file of columns, or is somebody else's, or a link, is left alone. That no place is
    left is told, and does no harm. content: the file's digest.
    """
    reasons = []
    for place in where:
        try:
            _write(place, corpus, content, path)
        except OSError as error:
            reasons.append(f"{place}: {error.strerror or error}")
        else:
            return
    if tell is not None:
        told = "; ".join(reasons)
        tell(one_line(f"kept no columns for the next time ({told}); {SETTING} names a folder for them, or off"))


def _write(place: Path, corpus: Corpus, content: str, source: Path) -> None:
    if place.parent != source.parent and place.parts[0].startswith("~"):
        raise OSError(errno.ENOENT, "there is no such home", str(place))
    if os.path.lexists(place) and not kept_at(source, [place]):
        raise OSError(errno.EEXIST, "is no file of columns of yours, and was left alone", str(place))
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = place.with_name(f".{secrets.token_hex(8)}{_ENDING}")
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        number = os.open(partial, flags, _mode(place, source))
        with open(number, "wb", 1 << 20) as file:
            _shut_out(number, source)
            write_columns(file, corpus, content)
        # Whatever link was put there meanwhile is replaced itself, and not what it leads to.
        os.replace(partial, place)
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise


def _mode(place: Path, source: Path) -> int:
    """Who may read the columns: beside the file those who may read it, elsewhere the owner alone."""
    return source.stat().st_mode & 0o644 | _OWN if place.parent == source.parent else _OWN


def _shut_out(number: int, source: Path) -> None:
    """Leave a new file to its owner where owner and group are not those that the source's mode is about."""
    made, origin = os.fstat(number), source.stat()
    if hasattr(os, "fchmod") and (made.st_uid, made.st_gid) != (origin.st_uid, origin.st_gid):
        os.fchmod(number, _OWN)
