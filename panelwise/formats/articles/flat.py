"""The text of XML elements with white space collapsed, and where parts of it stand."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import accumulate
from typing import Any

#: Elements that begin a line of their own.
BLOCKS = frozenset({"p", "title", "list", "list-item", "disp-quote", "disp-formula", "break"})
#: Elements that a reader does not see in the running text.
HIDDEN = frozenset({"object-id", "alt-text", "long-desc", "annotation", "annotation-xml", "index-term"})
#: What is taken of alternatives, the first that is there.
_READABLE = ("math", "tex-math", "textual-form")
#: Marks of where a part begins and ends, with its number between the first two: characters without a meaning.
_BEGIN, _NUMBERED, _END = "\x81", "\x8d", "\x8f"

#: A part of a text: its name or number, and its first piece and the one after its last.
Part = list[Any]


class _Kind(Enum):
    """How an element's text is taken."""

    PLAIN, MARKED, SKIPPED, BLOCK, ALTERNATIVES, TEX, IGNORED = range(7)


_SPECIAL = {each: _Kind.BLOCK for each in BLOCKS} | {"alternatives": _Kind.ALTERNATIVES, "tex-math": _Kind.TEX}


class Reading(dict[Any, _Kind]):
    """How the text of elements is taken, by their tags.

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
                self.add_element(child)
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
        if kind is _Kind.TEX:
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
    """Return a text, runs of white space as one space and none at its ends, and the half-open ranges of its parts."""
    text = "".join(pieces)
    if text.isprintable() and "  " not in text and text[:1] != " " != text[-1:]:
        ends = list(accumulate(map(len, pieces), initial=0)) if parts else []
        return text, [_stripped(text, name, ends[first], ends[last]) for name, first, last in parts]
    if not parts:
        return " ".join(text.split()), []
    words: list[str] = []
    #: Where the text of each piece begins, and where that before it ends.
    begins, ends = [], []
    length, space = 0, False
    for piece in pieces:
        ends.append(length)
        inside = " ".join(piece.split())
        if inside:
            space = (space or piece[0].isspace()) and length > 0
            begins += [length + space] * (len(ends) - len(begins))
            words.append(f" {inside}" if space else inside)
            length = begins[-1] + len(inside)
            space = piece[-1].isspace()
        else:
            space = space or bool(piece)
    ends.append(length)
    begins += [length] * (len(ends) - len(begins))
    return "".join(words), [(name, begins[first], max(begins[first], ends[last])) for name, first, last in parts]


def _stripped(text: str, name: Any, start: int, end: int) -> tuple[Any, int, int]:
    """Return a range without spaces at its ends."""
    start += text.startswith(" ", start, end)
    return name, start, end - text.endswith(" ", start, end)


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
