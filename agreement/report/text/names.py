"""Names for a terminal: control characters escaped, measured in columns, shortened without collisions."""

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
    """Return the text with control and format characters escaped as in Python: `\x1b`, `\n`, `\u202e`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(char) for char in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii") if category(char) in _OBEYED else char


def columns(text: str) -> int:
    """Return the width of a shown text in columns: wide characters two, combining ones none."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(char: str) -> int:
    if combining(char) or category(char) in ("Mn", "Me"):
        return 0
    return 2 if east_asian_width(char) in ("W", "F") else 1


def padded(text: str, width: int) -> str:
    """Return a shown text padded with blanks to `width` columns."""
    return text + " " * (width - columns(text))


def letters(text: str) -> list[str]:
    """Split a text into units that must not be cut: a character with its combining ones, or an escape."""
    found: list[str] = []
    for char in text:
        if found and not _columns(char) and category(char) not in _OBEYED:
            found[-1] += char
        else:
            found.append(_escaped(char))
    return found


def wrapped(text: str, width: int, *, first: str = "", rest: str = "") -> Iterator[str]:
    """Break the text into lines of `width` columns, at blanks, or within words longer than a line.

    first, rest: beginning of the first line and of the others. Blanks within a line stay.
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

    def __contains__(self, name: object) -> bool:
        """Return whether the name is one of these."""
        return name in self._short

    def short(self, name: str) -> str:
        """Return the short form of one of the names."""
        return self._short[name]

    def cell(self, name: str) -> str:
        """Return the short form, padded to `width` columns."""
        return padded(self._short[name], self.width)

    def legend(self, kind: str = "") -> Iterator[str]:
        """Yield the short forms with the names they replace; none if no name is cut. kind: for the heading."""
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
    """Return a form that is equal for texts that look the same on a screen."""
    return normalize("NFC", short)


def _fitted(parts: Sequence[str], width: int, number: str) -> str:
    """Join letters and number in `width` columns, without the middle: names often differ at their ends."""
    width -= len(number)
    if columns("".join(parts)) <= width:
        return "".join(parts) + number
    return _start(parts, width // 2) + _CUT + _start(parts[::-1], width - width // 2 - 1, reverse=True) + number


def _start(parts: Sequence[str], width: int, *, reverse: bool = False) -> str:
    """Join the first letters that fit; reverse: `parts` is reversed, the result is not."""
    sizes = accumulate(map(columns, parts))
    fitting = [part for part, size in zip(parts, sizes, strict=True) if size <= width]
    return "".join(reversed(fitting) if reverse else fitting)
