"""The language in which phrases are written down, and the words that one figure keeps to.

A phrase is text with places in braces:

- `{organ}`: a word of the topic; the same one throughout the figure;
- `{~organ}`: a word of the topic, drawn again;
- `{axial|transverse}`: one of several, which may hold places themselves; `{|large }` may be nothing;
- `{#3-40}`, `{#5-100/5}`, `{#.1-.9}`: a whole number, one of a step, a fraction with as many digits as written;
- `{@time}`: the place of what varies between the panels of a series; see `Series`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from panelwise_simulator.kinds import Generator

Words = Mapping[str, tuple[str, ...]]
T = TypeVar("T")

#: How many random numbers are drawn from the generator at a time.
_BATCH = 128


class Dice:
    """Choices from one generator, drawn in batches: a caption needs some hundred of them."""

    def __init__(self, rng: Generator) -> None:
        self._rng = rng
        self._values: list[float] = []

    def fraction(self) -> float:
        """A number in [0, 1)."""
        if not self._values:
            self._values = self._rng.random(_BATCH).tolist()
        return self._values.pop()

    def chance(self, probability: float) -> bool:
        """Return whether something of this probability happens."""
        return self.fraction() < probability

    def below(self, count: int) -> int:
        """A whole number in [0, count)."""
        return int(self.fraction() * count)

    def pick(self, options: Sequence[T]) -> T:
        """One of the options, which are not empty."""
        return options[int(self.fraction() * len(options))]

    def weighted(self, weights: Mapping[str, float]) -> str:
        """A key, by its share of all weights (not negative, one of them positive)."""
        left = self.fraction() * sum(weights.values())
        for name, weight in weights.items():
            left -= weight
            if left < 0:
                return name
        return max(weights, key=lambda name: weights[name])

    def some(self, options: Sequence[T], count: int) -> list[T]:
        """`count` different options (all, where there are fewer), in their own order."""
        left = list(range(len(options)))
        taken = sorted(left.pop(self.below(len(left))) for _ in range(min(count, len(options))))
        return [options[place] for place in taken]


@dataclass(frozen=True, slots=True)
class _Word:
    name: str
    fresh: bool


@dataclass(frozen=True, slots=True)
class _Number:
    low: float
    step: float
    count: int
    digits: int


@dataclass(frozen=True, slots=True)
class _Place:
    axis: str


@dataclass(frozen=True, slots=True)
class _Choice:
    options: tuple[tuple[_Node, ...], ...]


_Node = str | _Word | _Number | _Place | _Choice
_NUMBER = re.compile(r"#(\d*\.?\d+)-(\d*\.?\d+)(?:/(\d*\.?\d+))?$")


@dataclass(frozen=True, slots=True)
class Series:
    """A phrase cut at its `{@axis}`: what all panels share before and after it, and the items, one a panel."""

    head: str
    items: tuple[str, ...]
    tail: str

    def of(self, place: int) -> str:
        """The whole phrase for one panel."""
        return f"{self.head}{self.items[place]}{self.tail}"


class Topic:
    """The words of one figure: those of its domain, each chosen once."""

    def __init__(self, dice: Dice, words: Words, axes: Words, ordered: frozenset[str]) -> None:
        self.dice = dice
        self._words = words
        self._axes = axes
        self._ordered = ordered
        self._chosen: dict[str, str] = {}
        self._items: dict[str, list[str]] = {}
        self._next: dict[str, int] = {}

    def word(self, name: str, *, fresh: bool = False) -> str:
        """The figure's word of this name, or a new one. Raises KeyError for a name that no list has."""
        if fresh:
            known = self._chosen.get(name)
            for _ in range(3):
                text = self._text(parsed(self.dice.pick(self._words[name])))
                if text != known:
                    break
            return text
        if name not in self._chosen:
            self._chosen[name] = self._text(parsed(self.dice.pick(self._words[name])))
        return self._chosen[name]

    def fill(self, phrase: str) -> str:
        """The phrase with every place filled; a `{@axis}` by one item of the axis."""
        return agreed(self._text(parsed(phrase))).strip()

    def series(self, phrase: str, count: int) -> Series | None:
        """The phrase for `count` panels, or None if its axis has too few items."""
        nodes = parsed(phrase)
        place = next((at for at, node in enumerate(nodes) if isinstance(node, _Place)), None)
        if place is None:
            return None
        node = nodes[place]
        assert isinstance(node, _Place)
        items = self.items(node.axis, count)
        if items is None:
            return None
        return Series(agreed(self._text(nodes[:place])), items, self._text(nodes[place + 1 :]))

    def items(self, axis: str, count: int) -> tuple[str, ...] | None:
        """`count` different items of an axis, in order where it has one; None if there are too few.

        Items are handed out in turn, so that two series of one figure seldom share any.
        """
        if axis not in self._items:
            texts = list(dict.fromkeys(self._text(parsed(item)) for item in self._axes[axis]))
            if axis not in self._ordered:
                texts = [texts.pop(self.dice.below(len(texts))) for _ in range(len(texts))]
            self._items[axis] = texts
        texts = self._items[axis]
        if len(texts) < count:
            return None
        if axis in self._ordered:
            return tuple(self.dice.some(texts, count))
        start = self._next.get(axis, 0)
        self._next[axis] = start + count
        return tuple(texts[(start + step) % len(texts)] for step in range(count))

    def _text(self, nodes: Sequence[_Node]) -> str:
        return "".join([node if isinstance(node, str) else self._value(node) for node in nodes])

    def _value(self, node: _Word | _Number | _Place | _Choice) -> str:
        if isinstance(node, _Word):
            return self.word(node.name, fresh=node.fresh)
        if isinstance(node, _Choice):
            return self._text(self.dice.pick(node.options))
        if isinstance(node, _Number):
            value = node.low + node.step * self.dice.below(node.count)
            return f"{value:.{node.digits}f}"
        return (self.items(node.axis, 1) or ("",))[0]


@lru_cache(maxsize=8192)
def parsed(phrase: str) -> tuple[_Node, ...]:
    """The parts of a phrase. Raises ValueError if braces do not match or a number cannot be read."""
    nodes, end = _parse(phrase, 0, inside=False)
    if end != len(phrase):
        raise ValueError(f'phrase "{phrase}": a brace is closed that was not opened')
    return nodes[0]


def _parse(phrase: str, start: int, *, inside: bool) -> tuple[list[tuple[_Node, ...]], int]:
    """Options (one, outside braces) from `start`, and where they end."""
    options: list[tuple[_Node, ...]] = []
    nodes: list[_Node] = []
    text = ""
    place = start
    while place < len(phrase):
        sign = phrase[place]
        if sign == "{":
            inner, place = _parse(phrase, place + 1, inside=True)
            if place >= len(phrase):
                raise ValueError(f'phrase "{phrase}": a brace is not closed')
            nodes.extend([text, _node(inner)])
            text = ""
        elif inside and sign in "|}":
            options.append(tuple(node for node in (*nodes, text) if node != ""))
            nodes, text = [], ""
            if sign == "}":
                return options, place
        elif sign == "}":
            break
        else:
            text += sign
        place += 1
    options.append(tuple(node for node in (*nodes, text) if node != ""))
    return options, place


def _node(options: list[tuple[_Node, ...]]) -> _Node:
    if len(options) > 1:
        return _Choice(tuple(options))
    text = options[0][0] if options[0] else ""
    if not isinstance(text, str):
        raise ValueError("a place holds nothing but another place")
    if text.startswith("@"):
        return _Place(text[1:])
    if text.startswith("~"):
        return _Word(text[1:], True)
    if not text.startswith("#"):
        return _Word(text, False)
    found = _NUMBER.match(text)
    if found is None:
        raise ValueError(f'a number is written as "#3-40" or "#5-100/5", not as "{text}"')
    low, high, step = found.groups()
    digits = len(low.partition(".")[2])
    size = float(step) if step else 10.0**-digits
    return _Number(float(low), size, round((float(high) - float(low)) / size) + 1, digits)


@dataclass(frozen=True, slots=True)
class Phrases:
    """The phrases for panels of one sort, each with at least one phrase.

    nouns: what it is, on its own; series: what it is, with one `{@axis}` that varies; both in lower case.
    findings: what it shows, as nouns. notes: sentences that may follow; with "~" before where they tell of scale,
    statistics or convention and so are of no panel.
    """

    nouns: tuple[str, ...]
    series: tuple[str, ...]
    findings: tuple[str, ...]
    notes: tuple[str, ...]


def capitalised(text: str) -> str:
    """The text as a sentence begins: "mRNA", "qPCR", "t-SNE" and "α" keep their first letter."""
    first = text.replace("-", " ", 1).partition(" ")[0]
    if first.islower() and (len(first) > 1 or first == "a") and text[0].isascii():
        return text[0].upper() + text[1:]
    return text


_HEAD_ENDS = re.compile(
    r"\s(?:of|in|for|at|after|with|from|by|to|on|without|showing|assigned|used|stained|through|under|versus|between|against|"
    r"obtained|\w+ed for)\b|[,(:;]"
)
_SINGULAR = re.compile(r"(?:ss|us|is|ous)$")
_ARTICLE = re.compile(r"(^A|\ba)(?= (?:[aeio](?!ne\b)[a-z]|un(?!i)|ul|8|11\b|18\b))")
_VERBS = re.compile(
    r"\b((?:[Aa]rrow|[Aa]rrowhead|[Aa]sterisk|[Ii]nset|[Ii]nsert|[Bb]ar)(s?)) "
    r"(mark|indicate|point|show|represent)s?\b"
)


def is_plural(noun: str) -> bool:
    """Return whether a noun phrase takes "show" rather than "shows" by its head: "CT images of the liver"."""
    head = _HEAD_ENDS.split(noun, maxsplit=1)[0].strip()
    if " and " in head:
        return True
    last = head.rpartition(" ")[2]
    return last in {"spectra", "leaves", "data"} or (last.endswith("s") and not _SINGULAR.search(last))


def agreed(text: str) -> str:
    """The text with verbs that agree with arrows, asterisks and insets ("The arrows mark"), and with "an"."""
    text = _ARTICLE.sub(r"\1n", text)
    return _VERBS.sub(lambda found: f"{found[1]} {found[3]}{'' if found[2] else 's'}", text)
