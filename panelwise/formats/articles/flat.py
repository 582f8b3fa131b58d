"""The text of XML elements with white space collapsed, and where parts of it stand."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import accumulate
from typing import Any

from lxml import etree

#: Elements that begin a line of their own.
BLOCKS = frozenset({"p", "title", "list", "list-item", "disp-quote", "disp-formula", "break"})
#: Elements that a reader does not see in the running text.
HIDDEN = frozenset({"object-id", "alt-text", "long-desc", "annotation", "annotation-xml", "index-term"})
#: What is taken of alternatives, the first that is there.
_READABLE = ("math", "tex-math", "textual-form")
#: Marks of where a part begins and ends, with its number between the first two: characters without a meaning.
_BEGIN, _NUMBERED, _END = "\x81", "\x8d", "\x8f"

#: White space beside the space itself; looking for each is quicker than splitting a text.
_WHITE = (
    "\n\t\xa0\u2009\r\u2003\u2002\u202f\u200a\v\f\x1c\x1d\x1e\x1f\x85\u1680\u2000\u2001\u2004\u2005\u2006\u2007\u2008"
    "\u2028\u2029\u205f\u3000"
)
#: A part of a text: its name or number, and its first piece and the one after its last.
Part = list[Any]


class _Kind(Enum):
    """The handling of an element's text."""

    PLAIN, MARKED, SKIPPED, BLOCK, ALTERNATIVES, TEX, MATHS, IGNORED = range(8)


_SPECIAL = {each: _Kind.BLOCK for each in BLOCKS} | {"alternatives": _Kind.ALTERNATIVES, "tex-math": _Kind.TEX}
_MATHML = "{http://www.w3.org/1998/Math/MathML}"
_SPECIAL["math"] = _Kind.MATHS


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
            kind = _Kind.SKIPPED
        elif name in self._marked:
            kind = _Kind.MARKED
        else:
            kind = _SPECIAL.get(name, _Kind.PLAIN if name else _Kind.IGNORED)
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
            if kind is _Kind.PLAIN:
                if len(child):
                    self.add_element(child)
                elif text := child.text:
                    pieces.append(text)
            elif kind is _Kind.MARKED:
                part = [local_name(child.tag), len(pieces), 0]
                self.parts.append(part)
                self.add_element(child)
                part[2] = len(pieces)
            elif kind is _Kind.SKIPPED:
                pieces.append(" ")
            elif kind is not _Kind.IGNORED:
                self._add_special(child, kind)
            if tail := child.tail:
                pieces.append(tail)

    def _add_special(self, element: Any, kind: _Kind) -> None:
        if kind is _Kind.MATHS:
            if next(element.iter(f"{_MATHML}annotation", f"{_MATHML}annotation-xml"), None) is not None:
                self.add_element(element)
            else:
                self.pieces.append(text_of(element))
        elif kind is _Kind.TEX:
            self.pieces.append(_tex("".join(element.itertext())))
        elif kind is _Kind.BLOCK:
            self.pieces.append(" ")
            self.add_element(element)
            self.pieces.append(" ")
        else:
            forms = {local_name(each.tag): each for each in reversed(element)}
            best = next((form for form in _READABLE if form in forms), local_name(element[0].tag) if forms else "")
            if best == "tex-math":
                self._add_special(forms[best], _Kind.TEX)
            elif best:
                self.add_element(forms[best])


def text_of(element: Any) -> str:
    """Return the text of an element and all in it, as it stands."""
    text: str = etree.tostring(element, method="text", encoding="unicode", with_tail=False)
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


def collapsed(pieces: Sequence[str], parts: Sequence[Part]) -> tuple[str, list[tuple[Any, int, int]]]:
    """Return a text with white space collapsed, none at its ends, and the half-open ranges of its parts."""
    single = _with_spaces(_BEGIN.join(pieces)).split(_BEGIN)
    if len(single) != len(pieces):  # The file has the character, too.
        single = [_with_spaces(each.replace(_BEGIN, "")) for each in pieces]
    before = " "
    for place, piece in enumerate(single):
        if before == " " and piece.startswith(" "):
            single[place] = piece = piece[1:]
        if piece:
            before = piece[-1]
    text = "".join(single).rstrip(" ")
    if not parts:
        return text, []
    ends = [0, *accumulate(map(len, single))]
    return text, [(name, *_stripped(text, ends[first], min(ends[last], len(text)))) for name, first, last in parts]


def _with_spaces(text: str) -> str:
    """Return a text with a space for each run of white space."""
    if any(map(text.__contains__, _WHITE)):
        for each in _WHITE:
            text = text.replace(each, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a range without a space at its ends."""
    if start >= end:
        return end, end
    return start + (text[start] == " "), end - (text[end - 1] == " ")


def mark(element: Any, number: int) -> None:
    """Mark an element by a number in its own text, for `split_marks`."""
    element.text = f"{_BEGIN}{number}{_NUMBERED}{element.text or ''}"
    element.tail = f"{_END}{element.tail or ''}"


def is_marked(text: str) -> bool:
    """Return True if a text has marks."""
    return _BEGIN in text


def split_marks(text: str, marks: int) -> tuple[list[str], list[Part]]:
    """Return a text without marks in pieces, and its marked parts by number.

    marks: how many were made; others are the text's own.
    """
    first, *rest = text.split(_BEGIN)
    pieces = [first]
    parts: list[Part] = []
    unfinished: list[Part] = []
    for each in rest:
        number, _, marked = each.partition(_NUMBERED)
        if not number.isdecimal() or int(number) >= marks:  # The file's own.
            pieces.append(each)
            continue
        parts.append([int(number), len(pieces), len(pieces)])
        unfinished.append(parts[-1])
        inside, *after = marked.split(_END)
        pieces.append(inside)
        for piece in after:
            if unfinished:
                unfinished.pop()[2] = len(pieces)
            pieces.append(piece)
    return pieces, parts


def _tex(text: str) -> str:
    """Return a formula without the LaTeX document round it."""
    _, _, body = text.rpartition("\\begin{document}")
    return body.partition("\\end{document}")[0]


def local_name(tag: Any) -> str:
    """Return a tag without its namespace; "" for that of comments, entities and the like."""
    if not isinstance(tag, str):
        return ""
    return tag.rpartition("}")[2] if "}" in tag else tag
