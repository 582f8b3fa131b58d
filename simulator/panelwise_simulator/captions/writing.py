"""Building blocks of captions: pieces of text with the panels that they belong to, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from panelwise_simulator.captions.markers import Markers
from panelwise_simulator.captions.phrases.catalogue import DIAGRAMS, MAPS, phrases_of
from panelwise_simulator.captions.phrases.frames import OBSERVATIONS, PANEL_NOTES
from panelwise_simulator.captions.phrases.language import Dice, Phrases, Series, Topic, capitalised, is_plural

Labels = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PanelFacts:
    """The facts of one panel that a caption may state.

    label: as printed, without decoration ("A", "b", "iv", "A1", "Ai", "2"); "A", "B", ... in reading order where
    nothing is printed. drawer: name of what is drawn. row, column: from 0; rows: of the figure; columns: panels in
    this row. group: panels of one number show one subject in variants.
    """

    label: str
    drawer: str
    row: int
    column: int
    rows: int
    columns: int
    group: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Text that belongs to these panels, or to none."""

    labels: Labels
    text: str


@dataclass(slots=True)
class Sentence:
    """Pieces that run on, without the mark at their end. mark: ".", ";" or ","."""

    pieces: list[Piece]
    mark: str = "."

    @property
    def text(self) -> str:
        """The plain text, without the mark."""
        return "".join(piece.text for piece in self.pieces)


@dataclass(slots=True)
class Description:
    """A panel in words. noun: what it is, in lower case; finding: what it shows, or ""; notes: sentences."""

    noun: str
    finding: str = ""
    notes: list[str] = field(default_factory=list)


class Writer:
    """The words of one caption, and what has been said of which panel."""

    def __init__(
        self,
        dice: Dice,
        topic: Topic,
        markers: Markers,
        panels: Sequence[PanelFacts],
        *,
        hard: float,
        detail: float,
    ) -> None:
        """hard: from 0 (clean) to 1, how awkward; detail: how much is said of a panel, about 1. Now and then
        text goes on in lower case behind its marker."""
        self.dice = dice
        self.topic = topic
        self.markers = markers
        self.panels = tuple(panels)
        self.all = frozenset(panel.label for panel in panels)
        self.hard = hard
        self.detail = detail
        self.lower = dice.chance(0.15 * hard)
        self.nouns: dict[str, str] = {}
        self._said: set[str] = set()
        self._drawn: set[str] = set()

    def piece(self, labels: Sequence[str], text: str) -> Piece:
        """Text for some panels; text for all of several belongs to none."""
        if len(self.all) > 1 and self.all.issubset(labels):
            return Piece((), text)
        return Piece(tuple(labels), text)

    def describe(self, panel: PanelFacts, *, finding: float = 0.55) -> Description:
        """A panel on its own, in words that no other panel of the figure has. finding: how often one is given."""
        found = self._noun(panel)
        if self.dice.chance(min(0.95, finding * self.detail)):
            count = 2 if self.dice.chance(0.13 * self.detail) else 1
            chosen = self.dice.some(phrases_of(panel.drawer).findings, count)
            word = self.dice.pick((" and ", " and ", " as well as "))
            found.finding = word.join([self._new((finding,)) for finding in chosen])
        found.notes = self.notes(panel)
        return found

    def notes(self, panel: PanelFacts) -> list[str]:
        """Further sentences on the panel: none, one or a few; those of convention last, with "~" before."""
        options = phrases_of(panel.drawer).notes
        count = 0
        chance = min(0.9, 0.36 * self.detail)
        while count < len(options) and self.dice.chance(chance):
            count += 1
            chance *= 0.75
        chosen = self.dice.some(options, count) if count else []
        notes = [self._new((note,)) for note in chosen if self.hard or not note.startswith("~")]
        if self.dice.chance(min(0.6, 0.14 * self.detail)):
            notes.insert(0, self._observation(panel))
        if self.hard and self.dice.chance(min(0.6, 0.16 * self.detail)):
            notes.insert(0, self._new(PANEL_NOTES))
        return sorted(notes, key=lambda note: note.startswith("~"))

    def sentences(self, labels: Sequence[str], notes: Sequence[str]) -> list[Sentence]:
        """Notes as sentences of these panels, or of none."""
        return [Sentence([self.piece(() if note.startswith("~") else labels, _bare(note))]) for note in notes]

    def _observation(self, panel: PanelFacts) -> str:
        """A finding as a sentence of its own."""
        finding = self._new(phrases_of(panel.drawer).findings)
        plain = finding.startswith("the ") or panel.drawer in {*DIAGRAMS, *MAPS}
        text = OBSERVATIONS[0] if plain else self.dice.pick(OBSERVATIONS)
        verb = "were" if is_plural(finding) else "was"
        return capitalised(self.topic.fill(text.replace("$finding", finding).replace("$was", verb)))

    def series(self, panels: Sequence[PanelFacts]) -> Series | None:
        """One phrase for panels of one drawer; None if they are of several, or where none fits."""
        if len({panel.drawer for panel in panels}) > 1:
            return None
        options = phrases_of(panels[0].drawer).series
        for _ in range(4):
            found = self.topic.series(self.dice.pick(options), len(panels))
            if found is not None:
                for place, panel in enumerate(panels):
                    self.remember(panel, found.of(place))
                return found
        return None

    def remember(self, panel: PanelFacts, noun: str) -> None:
        """That this is what the panel is."""
        self.nouns[panel.label] = noun
        self._said.add(noun)
        self._drawn.add(panel.drawer)

    def shared_finding(self, panels: Sequence[PanelFacts]) -> str:
        """Return the text on several panels."""
        return self._new(phrases_of(panels[0].drawer).findings)

    def showing(self, description: Description) -> str:
        """Noun and finding as one phrase, in lower case: "CT of the liver showing a mass"."""
        return description.noun + self.tail(description.finding, plural=is_plural(description.noun))

    def tail(self, finding: str, *, plural: bool | None) -> str:
        """The finding with its verb, as in " showing a mass"; "" without one. plural: None for "showing" only."""
        if not finding:
            return ""
        verb = self.dice.weighted({"show": 0.55, "demonstrate": 0.15, "reveal": 0.15, "indicate": 0.15})
        form = self.dice.fraction()
        if form < 0.4 or (plural is None and form < 0.7):
            return f" {verb.removesuffix('e')}ing {finding}"
        if form < 0.75 and plural is not None:
            return f" {verb}{'' if plural else 's'} {finding}"
        if form < 0.9 or plural is None:
            return f", {verb.removesuffix('e')}ing {finding}"
        return f", which {verb}{'' if plural else 's'} {finding}"

    def _noun(self, panel: PanelFacts) -> Description:
        for _ in range(5):
            noun = self.topic.fill(self._phrase(phrases_of(panel.drawer), again=panel.drawer in self._drawn))
            if noun not in self._said:
                break
        self.remember(panel, noun)
        return Description(noun)

    def _phrase(self, options: Phrases, *, again: bool) -> str:
        """Return the difference within a series, if another panel shows the same subject."""
        return self.dice.pick(options.series if self.dice.chance(0.8 if again else 0.25) else options.nouns)

    def _new(self, options: Sequence[str]) -> str:
        """One of the phrases, not said before if that can be helped."""
        text = ""
        for _ in range(4):
            text = self.topic.fill(self.dice.pick(options))
            if text not in self._said:
                break
        self._said.add(text)
        return text


def _bare(note: str) -> str:
    """A note as a sentence without its mark."""
    return capitalised(note.removeprefix("~").removesuffix("."))


def joint(dice: Dice, place: int, count: int, *, word: str = "and") -> str:
    """Return the text between item `place` - 1 and item `place` of a list of `count`."""
    if place < count - 1:
        return ", "
    return f", {word} " if count > 2 and dice.chance(0.5) else f" {word} "


def sentence_case(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with the first letter of a word as a sentence begins."""
    first, *rest = pieces
    return [Piece(first.labels, capitalised(first.text)), *rest]
