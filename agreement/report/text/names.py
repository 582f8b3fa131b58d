"""Names as a terminal shows them: control characters escaped, measured in columns, cut so that they stay apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
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

    A name that fits stays as it is. Of a longer one the middle is left out; where that makes two alike, the part
    in which they differ is kept instead (`anno~mber1~.org`), and where that is too long they are numbered. Which
    names there are decides, not their order.
    """

    def __init__(self, names: Iterable[str], width: int) -> None:
        self.width = width
        self._short: dict[str, str] = {}
        self._taken: set[str] = set()
        long = []
        for name in sorted(set(names)):
            whole = shown(name)
            if columns(whole) > width or _alike(whole) in self._taken:
                long.append(name)
            else:
                self._take(name, whole)
        self._settle({name: _middle_out(letters(name), width) for name in long}, {name: () for name in long})

    def short(self, name: str) -> str:
        """The short form of one of the names."""
        return self._short[name]

    def cell(self, name: str) -> str:
        """The short form with blanks after it, in `width` columns."""
        return padded(self._short[name], self.width)

    def legend(self, kind: str = "") -> Iterator[str]:
        """The short forms with what they stand for, by name; nothing where no name is cut. kind: of what."""
        cut = [(short, name) for name, short in sorted(self._short.items()) if short != shown(name)]
        if not cut:
            return
        yield f"short forms{kind}:"
        same: dict[str, list[str]] = {}
        for name in self._short:
            same.setdefault(_alike(shown(name)), []).append(name)
        for short, name in cut:
            # Two that look alike when shown are told apart by their code points.
            alike = len(same[_alike(shown(name))]) > 1
            whole = name.encode("unicode_escape").decode("ascii") if alike else name
            yield from wrapped(f"{short} = {shown(whole)}", 80, first="  ", rest="    ")

    def _take(self, name: str, short: str) -> None:
        self._short[name] = short
        self._taken.add(_alike(short))

    def _settle(self, forms: Mapping[str, str], marks: Mapping[str, Sequence[int]]) -> None:
        """Take the forms that are nobody else's; look closer at those who share one.

        marks: the places of letters by which each name was told from others before.
        """
        groups: dict[str, list[str]] = {}
        for name, form in forms.items():
            groups.setdefault(_alike(form), []).append(name)
        unsettled = []
        for form, group in groups.items():
            if len(group) == 1 and form not in self._taken:
                self._take(group[0], forms[group[0]])
            else:
                unsettled.append(group)
        for group in unsettled:
            split = {name: letters(name) for name in group}
            begin, end = _differing(list(split.values()))
            closer = {name: tuple(dict.fromkeys((*marks[name], begin))) for name in group}
            if len(group) == 1 or closer == {name: marks[name] for name in group}:
                self._number(group)
            else:
                found = {
                    name: _around(parts, closer[name], len(parts) - end, self.width)
                    for name, parts in split.items()
                }
                self._settle(found, closer)

    def _number(self, group: Sequence[str]) -> None:
        number = 0
        for name in group:
            number += 1
            while _alike(short := _numbered(letters(name), number, self.width)) in self._taken:
                number += 1
            self._take(name, short)


def _alike(short: str) -> str:
    """Equal for what looks the same on a screen."""
    return normalize("NFC", short)


def _start(parts: Sequence[str], width: int) -> str:
    taken = ""
    for part in parts:
        if columns(taken + part) > width:
            break
        taken += part
    return taken


def _end(parts: Sequence[str], width: int) -> str:
    taken = ""
    for part in reversed(parts):
        if columns(part + taken) > width:
            break
        taken = part + taken
    return taken


def _middle_out(parts: Sequence[str], width: int) -> str:
    """Names often differ at their ends."""
    if columns("".join(parts)) <= width:
        return "".join(parts)
    return _start(parts, width // 2) + _CUT + _end(parts, width - width // 2 - 1)


def _numbered(parts: Sequence[str], number: int, width: int) -> str:
    mark = f"#{number}"
    return _middle_out(parts, width - len(mark)) + mark


def _differing(many: Sequence[Sequence[str]]) -> tuple[int, int]:
    """How many letters all begin with alike, and how many of the others all end with."""
    least = min(map(len, many))
    begin = next((place for place in range(least) if len({parts[place] for parts in many}) > 1), least)
    end = 0
    while end < least - begin and len({parts[-1 - end] for parts in many}) == 1:
        end += 1
    return begin, end


def _around(parts: Sequence[str], marks: Sequence[int], end: int, width: int) -> str:
    """The letters at the marks, and as many others as have room: first what reads best.

    end: where the letters that differ end.
    """
    last, size = marks[-1], len(parts)
    wanted = [
        *marks,
        *range(3),
        *range(size - 1, size - 4, -1),
        *range(last, min(end, last + width)),
        *range(last, max(last - 6, -1), -1),
        *range(width),
        *range(size - 1, size - 1 - width, -1),
    ]
    kept: set[int] = set()
    for place in dict.fromkeys(wanted):
        if 0 <= place < size and columns(_joined(parts, kept | {place})) <= width:
            kept.add(place)
    return _joined(parts, kept)


def _joined(parts: Sequence[str], kept: Set[int]) -> str:
    """The letters that are kept, a mark for each gap."""
    text, before = "", -1
    for place in sorted(kept):
        text += ("" if place == before + 1 else _CUT) + parts[place]
        before = place
    return text if before == len(parts) - 1 else text + _CUT
