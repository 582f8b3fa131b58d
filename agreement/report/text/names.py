"""Names as a terminal shows them: control characters escaped, measured in columns, cut so that they stay apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, count
from unicodedata import category, combining, east_asian_width, normalize

#: Stands where part of a name is left out.
_CUT = "~"
#: What a terminal would obey, not show: controls, formats (bidi among them), lone surrogates, line separators.
_OBEYED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def shown(text: str) -> str:
    r"""The text with what a terminal would obey escaped as in Python: `\x1b`, `\n`, `\u202e`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(char) for char in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii") if category(char) in _OBEYED else char


def columns(text: str) -> int:
    """Columns of a terminal that a shown text takes: wide characters two, combining ones none."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(char: str) -> int:
    if combining(char) or category(char) in ("Mn", "Me"):
        return 0
    return 2 if east_asian_width(char) in ("W", "F") else 1


def padded(text: str, width: int) -> str:
    """A shown text with blanks after it, to `width` columns."""
    return text + " " * (width - columns(text))


def letters(text: str) -> list[str]:
    """What must not be torn apart: a character with the combining ones after it, or a whole escape."""
    found: list[str] = []
    for char in text:
        if found and not _columns(char) and category(char) not in _OBEYED:
            found[-1] += char
        else:
            found.append(_escaped(char))
    return found


def wrapped(text: str, width: int, *, first: str = "", rest: str = "") -> Iterator[str]:
    """The text in lines of `width` columns, broken at blanks, and within words that are longer than a line.

    first, rest: what the first line begins with, and what the others do. Blanks within a line stay.
    """
    line, gap, begun = first, "", False
    for word in text.split(" "):
        if columns(line + gap + word) <= width:
            line += gap + word
        elif columns(rest + word) <= width:
            if line.strip():
                yield line.rstrip()
            line, begun = rest + word, True
        else:
            line += gap
            for letter in letters(word):
                if columns(line + letter) > width:
                    yield line.rstrip()
                    line = rest
                line += letter
            begun = False
        # Blanks between two words are not taken over to the beginning of a line.
        gap = "" if begun and line == rest else " "
    if line.strip():
        yield line.rstrip()


class ShortNames:
    """The names of one kind in a text, each in at most `width` columns and no two alike.

    A name that fits stays as it is; of a longer one the middle is left out. Names that would look alike are
    numbered (`annotat~le.org#1`). The short forms do not depend on the order of the names.
    """

    def __init__(self, names: Iterable[str], width: int) -> None:
        self.width = width
        self._short: dict[str, str] = {}
        used: set[str] = set()
        # Names that fit come first: none of them may become the short form of another.
        for name in sorted(set(names), key=lambda each: (columns(shown(each)) > width, each)):
            parts = letters(name)
            forms = (_fitted(parts, width, f"#{number}" if number else "") for number in count())
            short = next(form for form in forms if _alike(form) not in used)
            used.add(_alike(short))
            self._short[name] = short

    def short(self, name: str) -> str:
        """The short form of one of the names."""
        return self._short[name]

    def cell(self, name: str) -> str:
        """The short form with blanks after it, in `width` columns."""
        return padded(self._short[name], self.width)

    def legend(self, kind: str = "") -> Iterator[str]:
        """The short forms with the names they replace; no line if none is cut. kind: of names, for the heading."""
        cut = [(short, name) for name, short in sorted(self._short.items()) if short != shown(name)]
        if not cut:
            return
        yield f"short forms{kind}:"
        same = Counter(_alike(shown(name)) for name in self._short)
        for short, name in cut:
            # Code points distinguish two names that look alike when shown.
            whole = name.encode("unicode_escape").decode("ascii") if same[_alike(shown(name))] > 1 else name
            yield from wrapped(f"{short} = {shown(whole)}", 80, first="  ", rest="    ")


def _alike(short: str) -> str:
    """Equal for what looks the same on a screen."""
    return normalize("NFC", short)


def _fitted(parts: Sequence[str], width: int, number: str) -> str:
    """The letters and the number in `width` columns. The middle is left out: names often differ at their ends."""
    width -= len(number)
    if columns("".join(parts)) <= width:
        return "".join(parts) + number
    return _start(parts, width // 2) + _CUT + _start(parts[::-1], width - width // 2 - 1, reverse=True) + number


def _start(parts: Sequence[str], width: int, *, reverse: bool = False) -> str:
    """The first letters that fit; reverse: of a reversed name, in their own order again."""
    sizes = accumulate(map(columns, parts))
    fitting = [part for part, size in zip(parts, sizes, strict=True) if size <= width]
    return "".join(reversed(fitting) if reverse else fitting)
