"""The text of XML elements with white space collapsed, and where parts of it stand."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from lxml import etree

#: Elements that begin a line of their own.
BLOCKS = frozenset({"p", "title", "list", "list-item", "def-item", "disp-quote", "disp-formula", "break"})
#: Elements that a reader does not see in the running text.
HIDDEN = frozenset({"object-id", "alt-text", "long-desc", "annotation", "annotation-xml", "index-term"})
#: What is taken of alternatives, the first that is there.
_READABLE = ("math", "tex-math", "textual-form")
#: Marks of where a part begins and ends, with its number between the first two: characters without a meaning.
_BEGIN, _NUMBERED, _END = "\x81", "\x8d", "\x8f"
#: Stands between texts, without a meaning too.
_BETWEEN = "\x80"

#: White space beside the space itself; looking for each is quicker than splitting a text.
_WHITE = (
    "\n\t\xa0\u2009\r\u2003\u2002\u202f\u200a\v\f\x1c\x1d\x1e\x1f\x85\u1680\u2000\u2001\u2004\u2005\u2006\u2007\u2008"
    "\u2028\u2029\u205f\u3000"
)
#: A part of a text: its name or number, and its first piece and the one after its last.
Part = list[Any]
#: A part's name or number, and its half-open range of code points.
Range = tuple[Any, int, int]


class _Kind(Enum):
    """The handling of an element's text."""

    PLAIN, MARKED, SKIPPED, BLOCK, ALTERNATIVES, TEX, MATHS, IGNORED = range(8)


#: Looking names up in an enumeration takes far longer.
_PLAIN, _MARKED, _SKIPPED, _BLOCK, _ALTERNATIVES, _TEX, _MATHS, _IGNORED = _Kind
_SPECIAL = {each: _BLOCK for each in BLOCKS} | {"alternatives": _ALTERNATIVES, "tex-math": _TEX, "math": _MATHS}
_MATHML = "{http://www.w3.org/1998/Math/MathML}"


class Reading(dict[Any, _Kind]):
    """The handling of elements' text, by their tags.

    skip: names of elements left out. marked: names of elements whose places are wanted.
    """

    def __init__(self, skip: frozenset[str], marked: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self._skip, self._marked = skip, marked

    def __missing__(self, tag: Any) -> _Kind:
        name = local_name(tag)
        if name in self._skip:
            kind = _SKIPPED
        elif name in self._marked:
            kind = _MARKED
        else:
            kind = _SPECIAL.get(name, _PLAIN if name else _IGNORED)
        self[tag] = kind
        return kind


class Flat:
    """Collects the text of elements in pieces, and which of them are of marked elements."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self.pieces: list[str] = []
        self.parts: list[Part] = []

    def add_element(self, element: Any) -> None:
        """Add an element's text, without its tail. Of alternatives the MathML, the TeX or the first is taken."""
        reading, pieces = self._reading, self.pieces
        if text := element.text:
            pieces.append(text)
        for child in element:
            kind = reading[child.tag]
            if kind is _PLAIN:
                if len(child):
                    self.add_element(child)
                elif text := child.text:
                    pieces.append(text)
            elif kind is _MARKED:
                part = [local_name(child.tag), len(pieces), 0]
                self.parts.append(part)
                self.add_element(child)
                part[2] = len(pieces)
            elif kind is _SKIPPED:
                pieces.append(" ")
            elif kind is not _IGNORED:
                self._add_special(child, kind)
            if tail := child.tail:
                pieces.append(tail)

    def _add_special(self, element: Any, kind: _Kind) -> None:
        if kind is _MATHS:
            if next(element.iter(f"{_MATHML}annotation", f"{_MATHML}annotation-xml"), None) is not None:
                self.add_element(element)
            else:
                self.pieces.append(text_of(element))
        elif kind is _TEX:
            self.pieces.append(_tex("".join(element.itertext())))
        elif kind is _BLOCK:
            self.pieces.append(" ")
            self.add_element(element)
            self.pieces.append(" ")
        else:
            forms = {local_name(each.tag): each for each in reversed(element)}
            best = next((form for form in _READABLE if form in forms), local_name(element[0].tag) if forms else "")
            if best == "tex-math":
                self._add_special(forms[best], _TEX)
            elif best:
                self.add_element(forms[best])


def text_of(element: Any) -> str:
    """Return the text of an element and all in it, as it stands."""
    text: str = etree.tostring(element, method="text", encoding=str, with_tail=False)
    return text


def flat_text(element: Any, reading: Reading) -> str:
    """Return an element's text, "" for None, runs of white space as one space."""
    if element is None:
        return ""
    if not len(element):
        return " ".join((element.text or "").split())
    flat = Flat(reading)
    flat.add_element(element)
    return " ".join("".join(flat.pieces).split())


def collapsed(pieces: Sequence[str], parts: Sequence[Part]) -> tuple[str, list[Range]]:
    """Return a text with white space collapsed, none at its ends, and the half-open ranges of its parts."""
    if not parts:
        return _with_spaces("".join(pieces)).strip(" "), []
    single = _with_spaces(_BEGIN.join(pieces)).split(_BEGIN)
    if len(single) != len(pieces):  # The file has the character, too.
        single = [_with_spaces(each.replace(_BEGIN, "")) for each in pieces]
    ends, length, at_space = [0], 0, True
    for place, piece in enumerate(single):
        if at_space and piece[:1] == " ":
            single[place] = piece = piece[1:]
        if piece:
            at_space = piece[-1] == " "
            length += len(piece)
        ends.append(length)
    return _with_ranges("".join(single), [(name, ends[first], ends[last]) for name, first, last in parts])


def _with_ranges(text: str, ranges: Sequence[Range]) -> tuple[str, list[Range]]:
    """Return a text without a space at its end, and ranges without one at theirs."""
    text = text.rstrip(" ")
    found: list[Range] = []
    for name, start, end in ranges:
        end = min(end, len(text))
        if start < end:
            found.append((name, start + (text[start] == " "), end - (text[end - 1] == " ")))
        else:
            found.append((name, end, end))
    return text, found


def _with_spaces(text: str) -> str:
    """Return a text with a space for each run of white space."""
    if any(map(text.__contains__, _WHITE)):
        for each in _WHITE:
            text = text.replace(each, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text


def mark(element: Any, number: int) -> None:
    """Mark an element by a number in its own text, for `without_marks`."""
    element.text = f"{_BEGIN}{number}{_NUMBERED}{element.text or ''}"
    element.tail = f"{_END}{element.tail or ''}"


def text_before(element: Any) -> str:
    """Return the text between an element and the one before it, or the beginning of the one that it is in."""
    previous = element.getprevious()
    text = element.getparent().text if previous is None else previous.tail
    return (text or "").lstrip(_END)


def is_marked(text: str) -> bool:
    """Return True if a text has marks."""
    return _BEGIN in text


def with_spaces(texts: Sequence[str]) -> list[str]:
    """Return texts with a space for each run of white space: together, as most have none but spaces."""
    together = _with_spaces(_BETWEEN.join(texts)).split(_BETWEEN)
    return together if len(together) == len(texts) else [_with_spaces(each) for each in texts]


def without_marks(text: str, marks: int) -> tuple[str, list[Range]]:
    """Return a text without marks and outer space, and the ranges of its marked parts by number.

    text: as `with_spaces` returns it. marks: how many were made; others are the text's own.
    """
    first, *rest = text.split(_BEGIN)
    first = first.lstrip(" ")
    pieces, length, at_space = [first], len(first), first[-1:] in ("", " ")
    found: list[Range] = []
    unfinished: list[int] = []
    for each in rest:
        number, _, marked = each.partition(_NUMBERED)
        if number.isdecimal() and int(number) < marks:
            unfinished.append(len(found))
            found.append((int(number), length, length))
            inside = marked.split(_END)
        else:  # The file's own.
            number, inside = "", [each]
        for place, piece in enumerate(inside):
            if place and unfinished:
                index = unfinished.pop()
                found[index] = (*found[index][:2], length)
            if at_space and piece[:1] == " ":
                piece = piece[1:]
            if piece:
                pieces.append(piece)
                length += len(piece)
                at_space = piece[-1] == " "
    return _with_ranges("".join(pieces), found)


def _tex(text: str) -> str:
    """Return a formula without the LaTeX document round it."""
    _, _, body = text.rpartition("\\begin{document}")
    return body.partition("\\end{document}")[0]


def local_name(tag: Any) -> str:
    """Return a tag without its namespace; "" for that of comments, entities and the like."""
    if not isinstance(tag, str):
        return ""
    return tag.rpartition("}")[2] if "}" in tag else tag
