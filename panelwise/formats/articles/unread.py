"""Parts of a JATS file that no figure, caption or citation is read from, left out before the file is parsed."""

from __future__ import annotations

#: Bytes at the end of a file in which its last sub-article ends.
_LAST = 1000
#: Elements that are read wherever they stand.
_OF_FIGURES = (b"<fig", b"<graphic")


def without_unread(data: bytes, *, pictured: bool = True) -> bytes:
    """Return a file without references, and without sub-articles and tables that have no figures.

    pictured: keep sub-articles with figures, whose pictures are named.
    Parsing takes half the time then. A part that does not end is left for the parser to report; other errors in a
    part, also bytes that are no UTF-8, are passed over. Where a comment has an end of such a part, the result may
    be no XML: parse the file itself then.
    """
    for name in (b"sub-article", b"response"):
        if data.rfind(b"</%s>" % name, max(0, len(data) - _LAST)) >= 0:
            data = _without(data, name, unless=_OF_FIGURES if pictured else ())
    data = _without(data, b"ref-list", begin=max(0, data.rfind(b"</body>")))
    return _without(data, b"table-wrap", unless=_OF_FIGURES)


def _without(data: bytes, name: bytes, *, begin: int = 0, unless: tuple[bytes, ...] = ()) -> bytes:
    """Return a file without the elements whose names begin with `name`, from the place `begin`.

    unless: what elements that stay have in them.
    """
    opening, closing = b"<" + name, b"</" + name
    pieces: list[bytes] = []
    done, start = 0, data.find(opening, begin)
    while start >= 0:
        end = _end(data, opening, closing, start)
        if end < 0:
            break
        if all(data.find(each, start, end) < 0 for each in unless):
            pieces += (data[done:start], b" ")
            done = end
        start = data.find(opening, end)
    return b"".join((*pieces, data[done:])) if pieces else data


def _end(data: bytes, opening: bytes, closing: bytes, start: int) -> int:
    """Return where the element that begins at `start` ends, behind those in it; -1 if it does not."""
    depth, place = 0, start
    while True:
        end = data.find(closing, place)
        if end < 0:
            return -1
        depth += data.count(opening, place, end) - 1
        place = data.find(b">", end) + 1
        if not depth or not place:
            return place or -1
