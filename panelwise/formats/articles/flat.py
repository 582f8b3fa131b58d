"""The text of XML elements with white space collapsed, and where parts of it stand."""

from __future__ import annotations

import re
from typing import Any

#: Elements that begin a line of their own.
BLOCKS = frozenset({"p", "title", "list", "list-item", "disp-quote", "disp-formula", "break"})
#: Elements that a reader does not see in the running text.
HIDDEN = frozenset({"object-id", "alt-text", "long-desc", "annotation", "annotation-xml", "index-term"})
_SPECIAL = BLOCKS | {"alternatives", "tex-math"}
#: What is taken of alternatives, the first that is there.
_READABLE = ("math", "tex-math", "textual-form")
#: Marks of where a part begins and ends, with its number between the first two: characters without a meaning.
_BEGIN, _NUMBERED, _END = "\x81", "\x8d", "\x8f"
_BEGIN_AND_SPACE = re.compile(rf" ?({_BEGIN}\d+{_NUMBERED}) ")


class Flat:
    """Collects an element's text; runs of white space become one space, none at the ends.

    skip: names of elements left out. marked: names of elements whose places are wanted.
    """

    def __init__(self, skip: frozenset[str], marked: frozenset[str] = frozenset()) -> None:
        self._skip, self._marked = skip, marked
        self._pieces: list[str] = []
        #: The marked elements, in the order of their beginnings.
        self._elements: list[Any] = []

    def add_element(self, element: Any) -> None:
        """Add an element's text, without its tail. Of alternatives the MathML, the TeX or the first is taken."""
        pieces = self._pieces
        if element.text:
            pieces.append(element.text)
        for child in element:
            name = local_name(child)
            if name in self._skip:
                pieces.append(" ")
            elif name in _SPECIAL:
                self._add_special(child, name)
            elif name in self._marked:
                pieces.append(f"{_BEGIN}{len(self._elements)}{_NUMBERED}")
                self._elements.append(child)
                self.add_element(child)
                pieces.append(_END)
            elif name:
                self.add_element(child)
            if child.tail:
                pieces.append(child.tail)

    def _add_special(self, element: Any, name: str) -> None:
        if name == "tex-math":
            self._pieces.append(_tex("".join(element.itertext())))
        elif name == "alternatives":
            forms = {local_name(each): each for each in reversed(element)}
            best = next((form for form in _READABLE if form in forms), local_name(element[0]) if forms else "")
            if best == "tex-math":
                self._add_special(forms[best], best)
            elif best:
                self.add_element(forms[best])
        else:
            self._pieces.append(" ")
            self.add_element(element)
            self._pieces.append(" ")

    def text(self) -> str:
        """Return the text, with the marks that the elements had of `mark`."""
        return "".join(self._pieces)

    def text_and_places(self) -> tuple[str, list[tuple[Any, int, int]]]:
        """Return the text, and the marked elements in their order with their half-open ranges."""
        text, places = collapsed("".join(self._pieces), len(self._elements))
        return text, [(self._elements[number], start, end) for number, start, end in places]


def mark(element: Any, number: int) -> None:
    """Mark an element by a number in its own text, for `collapsed`."""
    element.text = f"{_BEGIN}{number}{_NUMBERED}{element.text or ''}"
    element.tail = f"{_END}{element.tail or ''}"


def is_marked(text: str) -> bool:
    """Return True if a text has marks."""
    return _BEGIN in text


def collapsed(text: str, marks: int) -> tuple[str, list[tuple[int, int, int]]]:
    """Return a text without marks, runs of white space as one space, and the numbers and ranges of its marks.

    marks: how many were made; others are the text's own.
    """
    text = " ".join(text.split())
    if _BEGIN not in text:
        return text, []
    if f"{_NUMBERED} " in text:
        text = _BEGIN_AND_SPACE.sub(r" \1", text).lstrip()
    if f" {_END}" in text:
        text = text.replace(f" {_END} ", f"{_END} ").replace(f" {_END}", f"{_END} ").rstrip()
    places: list[list[int]] = []
    unfinished: list[list[int]] = []
    first, *rest = text.split(_BEGIN)
    pieces = [first]
    length = len(first)
    for part in rest:
        number, _, marked = part.partition(_NUMBERED)
        if not number.isdecimal() or int(number) >= marks:  # The file's own.
            pieces.append(part)
            length += len(part)
            continue
        places.append([int(number), length, length])
        unfinished.append(places[-1])
        inside, *after = marked.split(_END)
        length += len(inside)
        for piece in after:
            if unfinished:
                unfinished.pop()[2] = length
            length += len(piece)
        pieces += [inside, *after]
    return "".join(pieces), [(number, start, end) for number, start, end in places]


def _tex(text: str) -> str:
    """Return a formula without the LaTeX document round it."""
    _, _, body = text.rpartition("\\begin{document}")
    return body.partition("\\end{document}")[0]


def local_name(element: Any) -> str:
    """Return an element's name without its namespace; "" for comments, entities and the like."""
    tag = element.tag
    if not isinstance(tag, str):
        return ""
    return tag.rpartition("}")[2] if "}" in tag else tag


def flat_text(element: Any, skip: frozenset[str]) -> str:
    """Return an element's text, "" for None. skip: names of elements left out."""
    if element is None:
        return ""
    if not len(element):
        return " ".join((element.text or "").split())
    flat = Flat(skip)
    flat.add_element(element)
    return flat.text_and_places()[0]
