"""The text of XML elements with white space collapsed, and where parts of it stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: Elements that begin a line of their own.
_BLOCKS = frozenset({"p", "title", "list", "list-item", "disp-quote", "disp-formula", "break"})
#: Elements that a reader does not see in the running text.
HIDDEN = frozenset({"object-id", "alt-text", "long-desc", "annotation", "annotation-xml", "index-term"})
_SPECIAL = _BLOCKS | {"alternatives", "tex-math"}


def _every(_: object) -> bool:
    return True


class Flat:
    """Collects an element's text; runs of white space become one space, none at the ends.

    skip: names of elements left out. marked: names of elements whose places are wanted.
    """

    def __init__(self, skip: frozenset[str], marked: frozenset[str] = frozenset()) -> None:
        self._skip, self._marked = skip, marked
        self._pieces: list[str] = []
        #: An element, and the numbers of the pieces where it begins and ends.
        self._marks: list[tuple[Any, int, int]] = []

    def add(self, text: str) -> None:
        """Add a text."""
        self._pieces.append(text)

    def add_element(self, element: Any) -> None:
        """Add an element's text, without its tail. Of alternatives the MathML or the first is taken."""
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
                begin = len(pieces)
                self.add_element(child)
                self._marks.append((child, begin, len(pieces)))
            elif name:
                self.add_element(child)
            tail = child.tail
            if tail:
                pieces.append(tail)

    def _add_special(self, element: Any, name: str) -> None:
        if name == "tex-math":
            self.add(_tex("".join(element.itertext())))
        elif name == "alternatives":
            best = next((each for each in element if local_name(each) == "math"), None)
            best = element[0] if best is None and len(element) else best
            if best is not None and local_name(best) == "tex-math":
                self._add_special(best, "tex-math")
            elif best is not None:
                self.add_element(best)
        else:
            self.add(" ")
            self.add_element(element)
            self.add(" ")

    def text(self) -> str:
        """Return the text."""
        return " ".join("".join(self._pieces).split())

    def places(self, where: Callable[[Any], object] = _every) -> list[tuple[Any, int, int]]:
        """Return the marked elements for which `where` is true, and their half-open ranges in `text()`."""
        marks = [each for each in self._marks if where(each[0])]
        at = self._lengths(sorted({place for _, *ends in marks for place in ends}))
        ranges = [(element, at[begin][1], at[end][0]) for element, begin, end in marks]
        return sorted(((each, start, max(start, end)) for each, start, end in ranges), key=lambda each: each[1:])

    def _lengths(self, places: list[int]) -> dict[int, tuple[int, int]]:
        """Return for numbers of pieces where the text before ends, and where the next one begins."""
        found: dict[int, tuple[int, int]] = {}
        length, space, done = 0, False, 0
        for place in places:
            text = "".join(self._pieces[done:place])
            words = text.split()
            if words:
                length += (length > 0 and (space or text[0].isspace())) + len(" ".join(words))
                space = text[-1].isspace()
            elif text:
                space = True
            after = next((each for each in self._pieces[place : place + 2] if each), "")
            found[place] = length, length + (length > 0 and (space or after[:1].isspace()))
            done = place
        return found


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
    flat = Flat(skip)
    flat.add_element(element)
    return flat.text()
