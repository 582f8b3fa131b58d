"""Captions of simulated figures, in the styles of real ones, with the truth built in.

A caption keeps to one topic, one way of writing markers and one spelling. Difficulty sets how awkward it may be:
"easy" captions go "(A) ... (B) ...", one span a panel; "medium" ones mix as real captions do; "hard" ones come
from the awkward tail: heads and tails in common, markers after their text, scattered spans, ranges, notes on some
panels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from string import Template

from panelwise.domain import Span
from panelwise_simulator.captions.arrangements import lettered, unlettered
from panelwise_simulator.captions.finishing import draw_finish, finish
from panelwise_simulator.captions.markers import draw_markers
from panelwise_simulator.captions.phrases.catalogue import CLINICAL, NUMBERS, PICTURES, SCALED
from panelwise_simulator.captions.phrases.common import Domain
from panelwise_simulator.captions.phrases.domains import draw_topic
from panelwise_simulator.captions.phrases.frames import (
    CLINICAL_METHODS,
    CLINICAL_TITLES,
    CLOSINGS,
    DATA_INFORMATION,
    IMAGE_NOTES,
    LISTED_CONTENT,
    LISTED_PICTURES,
    LISTED_PLOTS,
    LISTED_SCALES,
    LISTED_STATISTICS,
    METHODS,
    SCALE_BARS,
    STATISTICS,
    TITLES,
)
from panelwise_simulator.captions.phrases.language import Dice, capitalised
from panelwise_simulator.captions.references import write_references
from panelwise_simulator.captions.writing import PanelFacts, Piece, Sentence, Writer
from panelwise_simulator.kinds import Generator

__all__ = ["CaptionRequest", "PanelFacts", "WrittenCaption", "write_caption"]

#: How awkward captions of each difficulty are, from 0 to 1.
HARDNESS = {"easy": 0.0, "medium": 0.35, "hard": 1.0}


@dataclass(frozen=True, slots=True)
class CaptionRequest:
    """The figure to write on. lettered: labels are printed; parentheses: as "(a)"; number: of the figure, from 1;
    difficulty: "easy", "medium" or "hard". Labels differ from panel to panel."""

    panels: tuple[PanelFacts, ...]
    lettered: bool
    parentheses: bool
    number: int
    difficulty: str


@dataclass(frozen=True, slots=True)
class WrittenCaption:
    """text; spans by label (absent where the text says nothing on that panel alone); sentences that cite the
    figure; style: how panels are named: "(A)", "b ", "(A) after", "places", "none", for statistics."""

    text: str
    spans: Mapping[str, tuple[Span, ...]]
    references: tuple[str, ...]
    style: str


def write_caption(rng: Generator, request: CaptionRequest) -> WrittenCaption:
    """A caption for the figure; the same for the same state of the generator.

    Raises KeyError for an unknown difficulty and ValueError for a figure without panels or with a label twice.
    """
    labels = [panel.label for panel in request.panels]
    if not labels or len(set(labels)) < len(labels):
        raise ValueError(f"a figure needs panels, each with its own label, not {labels}")
    hard = HARDNESS[request.difficulty]
    dice = Dice(rng)
    topic, domain = draw_topic(dice, [panel.drawer for panel in request.panels])
    markers = draw_markers(dice, labels, parentheses=request.parentheses, difficulty=request.difficulty)
    detail = dice.pick((0.3, 0.6, 1.0, 1.3, 1.6, 2.0, 2.6, 3.4) if hard else (0.2, 0.5, 0.8, 1.0, 1.2, 1.5))
    writer = Writer(dice, topic, markers, request.panels, hard=hard, detail=detail)
    block, style = _panels(writer, request)
    named = request.lettered and style != "none"
    sentences = [*_opening(writer, request, block), *block, *_closing(writer, request, domain, listed=named)]
    finishing = draw_finish(dice, hard=hard, bare=markers.bare)
    text, spans = finish(dice, finishing, sentences, hard=hard)
    references = write_references(writer, request.number, lettered=request.lettered)
    return WrittenCaption(text, spans, tuple(finishing.text(sentence) for sentence in references), style)


def _panels(writer: Writer, request: CaptionRequest) -> tuple[list[Sentence], str]:
    """Return the text on the panels, and the name of the style."""
    dice = writer.dice
    if len(request.panels) == 1 or dice.chance(0.05 * min(1.0, 2 * writer.hard)):
        return _on_the_whole(writer), "none"
    if not request.lettered:
        if writer.hard and dice.chance(0.25):
            return _on_the_whole(writer), "none"
        block, style = unlettered(writer)
        return (block, style) if block else (_on_the_whole(writer), "none")
    block = lettered(writer)
    style = writer.markers.style
    return block, f"{style} after" if writer.markers.after else style


def _on_the_whole(writer: Writer) -> list[Sentence]:
    """On the figure and none of its panels."""
    panel = writer.dice.pick(writer.panels)
    description = writer.describe(panel)
    text = capitalised(writer.showing(description))
    notes = [note for note in description.notes if "inset" not in note.lower()]
    return [Sentence([Piece((), text)]), *writer.sentences((), notes)]


def _sentences(writer: Writer, options: Sequence[str], chance: float) -> list[Sentence]:
    """One of the sentences, with this chance; of no panel."""
    if not writer.dice.chance(chance):
        return []
    text = writer.topic.fill(writer.dice.pick(options))
    return [Sentence([Piece((), capitalised(text).removesuffix("."))])]


def _opening(writer: Writer, request: CaptionRequest, block: Sequence[Sentence]) -> list[Sentence]:
    """The figure's number, title and methods, each of which may be missing."""
    dice = writer.dice
    clinical = any(panel.drawer in CLINICAL for panel in request.panels)
    sentences: list[Sentence] = []
    prefix = ""
    if dice.chance(0.06):
        prefix = dice.pick(("Figure {n}. ", "Fig. {n} ", "Fig. {n}. ", "Figure {n}: ", "FIGURE {n} ", "Fig {n}: "))
        prefix = prefix.format(n=request.number)
    titled = 0.92 if len(block) > 1 else 0.6
    sentences += _sentences(writer, CLINICAL_TITLES if clinical else TITLES, titled)
    if prefix and sentences:
        first = sentences[0].pieces[0]
        sentences[0].pieces[0] = replace(first, text=prefix + first.text)
    if (
        sentences
        and writer.hard
        and not writer.markers.after
        and dice.chance(0.06)
        and writer.markers.style == "(A)"
    ):
        sentences[0].mark = ":"
    methods = CLINICAL_METHODS if clinical else METHODS
    if sentences and sentences[0].mark == ".":
        sentences += _sentences(writer, methods, 0.4 * min(1.5, writer.detail))
        if writer.hard:
            sentences += _sentences(writer, methods, 0.2 * writer.detail)
    return sentences


def _closing(writer: Writer, request: CaptionRequest, domain: Domain, *, listed: bool) -> list[Sentence]:
    """Scale bars, statistics, abbreviations and other notes, on all panels or, if listed, on some."""
    dice = writer.dice
    drawers = {panel.drawer for panel in request.panels}
    sentences: list[Sentence] = []
    detail = min(1.5, writer.detail)
    if drawers & PICTURES:
        sentences += _sentences(writer, IMAGE_NOTES, 0.08 * detail)
    if drawers & NUMBERS:
        for chance in (0.8, 0.6, 0.5, 0.35):
            found = _sentences(writer, STATISTICS, chance * detail)
            if not found:
                break
            if all(one.text != found[0].text for one in sentences):
                sentences += found
    if writer.hard and dice.chance(0.25):
        sentences = _data_information(writer) or sentences
    if drawers & SCALED:
        sentences += _sentences(writer, SCALE_BARS, 0.55)
    if listed:
        sentences += _listed(writer)
    if writer.hard:
        first, second = dice.some(CLOSINGS, 2)
        sentences += _sentences(writer, (first,), 0.32 * detail)
        sentences += _sentences(writer, (second,), 0.1 * detail)
    if dice.chance(0.16 * detail):
        chosen = dice.some(domain.abbreviations, 2 + dice.below(5))
        if dice.chance(0.3):
            sign = dice.pick((": ", " = ", " – "))
            chosen = [one.replace(", ", sign, 1) for one in chosen]
        opening = dice.pick(("", "", "", "Abbreviations: "))
        text = opening + "; ".join(chosen)
        sentences.insert(0 if dice.chance(0.2) else len(sentences), Sentence([Piece((), text)]))
    return sentences


def _data_information(writer: Writer) -> list[Sentence]:
    return _sentences(writer, DATA_INFORMATION, 0.08)


def _listed(writer: Writer) -> list[Sentence]:
    """Notes on some panels: on what they show (theirs), on statistics or scale (of none)."""
    dice = writer.dice
    sentences: list[Sentence] = []
    panels = writer.panels
    if len(panels) < 3 or not writer.hard:
        return sentences
    general = (LISTED_STATISTICS, LISTED_SCALES)
    kinds = (
        (LISTED_CONTENT, 0.01 + 0.1 * writer.hard, panels),
        (LISTED_PICTURES, 0.03 + 0.2 * writer.hard, [one for one in panels if one.drawer in PICTURES]),
        (LISTED_PLOTS, 0.03 + 0.15 * writer.hard, [one for one in panels if one.drawer in NUMBERS]),
        (LISTED_STATISTICS, 0.03 + 0.17 * writer.hard, [one for one in panels if one.drawer in NUMBERS]),
        (LISTED_SCALES, 0.03 + 0.15 * writer.hard, [one for one in panels if one.drawer in SCALED]),
    )
    for options, chance, of in kinds:
        if not of or not dice.chance(chance):
            continue
        chosen = dice.some(of, 1 + dice.below(min(3, len(of), len(panels) - 1)))
        labels = tuple(panel.label for panel in chosen)
        text = Template(writer.topic.fill(dice.pick(options))).substitute(
            list=writer.markers.mention(labels), bare=writer.markers.joined(labels)
        )
        text = capitalised(text).removesuffix(".")
        sentences.append(Sentence([Piece((), text) if options in general else writer.piece(labels, text)]))
    return sentences
