"""The text of XML elements with white space collapsed, and where parts of it stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: Elements that begin a line of their own.
_BLOCKS = frozenset(
    {"p", "title", "list", "list-item", "disp-quote", "disp-formula", "break", "def", "def-item", "td"}
)
#: Elements that a reader does not see in the running text.
HIDDEN = frozenset({"object-id", "alt-text", "long-desc", "annotation", "annotation-xml", "index-term"})


class Flat:
    """Collects text; runs of white space become one space, none at the ends."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._space = False

    def add(self, text: str) -> None:
        """Add a text."""
        words = text.split()
        if not words:
            self._space = True
            return
        piece = " ".join(words)
        if self._length and (self._space or text[0].isspace()):
            piece = " " + piece
        self._pieces.append(piece)
        self._length += len(piece)
        self._space = text[-1].isspace()

    def space(self) -> None:
        """Separate what comes from what was."""
        self._space = True

    @property
    def start(self) -> int:
        """Where the next text begins, unless it begins with white space of its own."""
        return self._length + (self._space and self._length > 0)

    @property
    def end(self) -> int:
        """Where the text ends so far."""
        return self._length

    def text(self) -> str:
        """Return the text."""
        return "".join(self._pieces)


def flatten(
    element: Any,
    flat: Flat,
    skip: frozenset[str],
    on_element: Callable[[Any, int, int], None] | None = None,
) -> None:
    """Add an element's text, without its tail, and without elements whose names are in `skip`.

    Of alternatives the MathML or the first is taken. on_element: called with each element within, and its range.
    """
    if element.text:
        flat.add(element.text)
    for child in element:
        name = local_name(child)
        if name in skip:
            flat.space()
        elif name == "alternatives":
            best = next((each for each in child if local_name(each) == "math"), child[0] if len(child) else None)
            if best is not None:
                flatten(best, flat, skip, on_element)
        elif name == "tex-math":
            flat.add(_tex("".join(child.itertext())))
        elif name:
            block = name in _BLOCKS
            if block:
                flat.space()
            start = flat.start
            flatten(child, flat, skip, on_element)
            if on_element is not None:
                on_element(child, start, flat.end)
            if block:
                flat.space()
        if child.tail:
            flat.add(child.tail)


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
