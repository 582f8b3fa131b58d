"""Blocks of a caption on one lettered panel or several at once: a shape for each habit of real captions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from panelwise_simulator.captions.phrases.catalogue import GELS, HISTOLOGY, MICROSCOPY, NUMBERS, SCALED, SHORT
from panelwise_simulator.captions.phrases.frames import (
    RANGE_HEADS,
    SCALE_BARS,
    SHARED_NOTES,
    SHARED_TAILS,
    STATISTICS,
)
from panelwise_simulator.captions.phrases.language import Series, capitalised
from panelwise_simulator.captions.writing import Labels, PanelFacts, Piece, Sentence, Writer, joint, sentence_case

Block = list[Sentence]
Shape = Callable[[Writer, Sequence[PanelFacts]], "Block | None"]


def labels_of(panels: Sequence[PanelFacts]) -> Labels:
    """Their labels, in order."""
    return tuple(panel.label for panel in panels)


def single(writer: Writer, panel: PanelFacts) -> Block:
    """One panel: marker and text, or text and marker, with the sentences that follow."""
    description = writer.describe(panel)
    if crossed := cross_mention(writer, panel):
        description.noun = crossed
        writer.nouns.pop(panel.label)
    labels = (panel.label,)
    text = writer.showing(description)
    if writer.markers.after:
        marker = writer.markers.within(labels)
        if description.finding and writer.dice.chance(0.45):
            text = f"{description.noun} {marker}{text[len(description.noun) :]}"
        else:
            text = f"{text} {marker}"
        block = [Sentence([writer.piece(labels, capitalised(text))])]
    else:
        block = [Sentence([writer.piece(labels, marked(writer, labels, text))])]
    return block + writer.sentences(labels, description.notes) + own_notes(writer, panel)


def own_notes(writer: Writer, panel: PanelFacts) -> Block:
    """A scale bar or statistics right behind a panel: of no panel, as in the gold protocol."""
    if panel.drawer in SCALED and writer.dice.chance(0.1 * writer.hard):
        return [Sentence([Piece((), writer.topic.fill(writer.dice.pick(SCALE_BARS)).removesuffix("."))])]
    if panel.drawer in NUMBERS and writer.dice.chance(0.12 * writer.hard):
        return [Sentence([Piece((), writer.topic.fill(writer.dice.pick(STATISTICS)).removesuffix("."))])]
    return []


def marked(writer: Writer, labels: Labels, text: str) -> str:
    """The text behind its marker."""
    lower = writer.lower and not writer.markers.bare
    return f"{writer.markers.before(labels)} {text if lower else capitalised(text)}"


def cross_mention(writer: Writer, panel: PanelFacts) -> str | None:
    """A panel put by another one: "quantification of the blots in (B)"; None if nothing suits."""
    place = writer.panels.index(panel)
    if not place or not writer.hard or not writer.dice.chance(0.25 + 0.3 * writer.hard):
        return None
    other = writer.panels[place - 1]
    mention = writer.markers.mention((other.label,))
    if panel.drawer in NUMBERS and other.drawer in {*GELS, *MICROSCOPY, *HISTOLOGY}:
        of = writer.dice.pick(
            ("band intensities", "the blots") if other.drawer in GELS else ("the signal", "the images")
        )
        verb = writer.dice.pick(
            ("quantification", "densitometry" if other.drawer in GELS else "quantification", "analysis")
        )
        return f"{verb} of {of} {writer.dice.pick(('in', 'shown in', 'from'))} {mention}"
    if panel.drawer in {"tissue_close_up", "fluorescence_merge"} or (
        panel.drawer == other.drawer and panel.drawer in SCALED and writer.dice.chance(0.5)
    ):
        return writer.dice.pick(
            (
                f"higher magnification of the boxed area in {mention}",
                f"enlarged view of {mention}",
                f"detail of {mention}",
                f"the same {'field' if panel.drawer in MICROSCOPY else 'section'} as in {mention}",
            )
        )
    if panel.drawer == other.drawer and writer.dice.chance(0.35):
        phrase = writer.dice.pick(("as in {m}, but {c}", "same as {m}, {c}", "as {m} {c}"))
        condition = writer.topic.fill(
            writer.dice.pick(("in {@group}", "at {@time}", "at {@dose}", "after {treatment}"))
        )
        return phrase.format(m=mention, c=condition)
    return None


def separate(writer: Writer, panels: Sequence[PanelFacts]) -> Block | None:
    """Each panel in full, in the same words but for what varies."""
    series = writer.series(panels)
    if series is None:
        return None
    block: Block = []
    for place, panel in enumerate(panels):
        text = series.of(place)
        labels = (panel.label,)
        if writer.markers.after:
            text = capitalised(f"{text} {writer.markers.within(labels)}")
        else:
            text = marked(writer, labels, text)
        block.append(Sentence([writer.piece(labels, text)]))
    if writer.dice.chance(0.3 * writer.detail):
        block += writer.sentences(labels, writer.notes(panels[-1]))
    return block


def together(writer: Writer, panels: Sequence[PanelFacts]) -> Block | None:
    """One text for all of them: "(B-D) Immunoblots of lysates. Actin served as loading control."."""
    labels = labels_of(panels)
    if writer.all.issubset(labels):
        return None
    description = writer.describe(panels[0])
    for panel in panels:
        writer.remember(panel, description.noun)
    text = writer.showing(description)
    if writer.markers.after:
        block = [Sentence([writer.piece(labels, capitalised(f"{text} {writer.markers.within(labels)}"))])]
    else:
        block = [Sentence([writer.piece(labels, marked(writer, labels, text))])]
    return block + writer.sentences(labels, description.notes)


def coordinated(writer: Writer, panels: Sequence[PanelFacts]) -> Block | None:
    """Items with a head and a tail in common: "Survival of treated (a) and untreated (b) animals"."""
    series = _series_or_list(writer, panels)
    if series is None:
        return None
    labels = labels_of(panels)
    before = not writer.markers.after and writer.dice.chance(0.45)
    opening = ""
    if writer.markers.bare or (not before and not writer.markers.after and writer.dice.chance(0.4)):
        opening = f"{writer.markers.before(labels)} "
        before = False
    pieces = (
        [writer.piece(labels, opening + (capitalised(series.head) if opening else series.head))]
        if (opening or series.head)
        else []
    )
    pieces += _items(writer, panels, series, before=before, upper=bool(opening and not series.head))
    tail = series.tail
    if writer.dice.chance(0.35 * writer.detail):
        tail += writer.tail(writer.shared_finding(panels), plural=None)
    if tail:
        pieces.append(writer.piece(labels, tail))
    block = [Sentence(pieces if opening else sentence_case(pieces))]
    if writer.dice.chance(0.3 * writer.detail):
        note = writer.topic.fill(writer.dice.pick(SHARED_NOTES))
        block.append(Sentence([writer.piece(labels, note.removesuffix("."))]))
    return block


def _items(
    writer: Writer, panels: Sequence[PanelFacts], series: Series, *, before: bool, upper: bool = False
) -> list[Piece]:
    pieces: list[Piece] = []
    word = writer.dice.weighted({"and": 0.95, "or": 0.05})
    for place, panel in enumerate(panels):
        if place:
            pieces.append(Piece((), joint(writer.dice, place, len(panels), word=word)))
        marker = writer.markers.within((panel.label,))
        item = series.items[place]
        item = capitalised(item) if upper and not place else item
        pieces.append(writer.piece((panel.label,), f"{marker} {item}" if before else f"{item} {marker}"))
    return pieces


def _series_or_list(writer: Writer, panels: Sequence[PanelFacts]) -> Series | None:
    """A series of one drawer; of several, their nouns with a tail that suits them all."""
    series = writer.series(panels)
    if series is not None:
        return series
    if len(panels) > 4:
        return None
    nouns = tuple(writer.describe(panel, finding=0.0).noun for panel in panels)
    tail = writer.topic.fill(writer.dice.pick(SHARED_TAILS))
    return Series("", nouns, tail if tail.startswith(",") else f" {tail}")


def colon_list(writer: Writer, panels: Sequence[PanelFacts]) -> Block | None:
    """A head, a colon and the items: "Survival by group: (a) men; (b) women."."""
    series = writer.series(panels)
    if series is None or writer.markers.bare or writer.markers.after or not series.head.strip():
        return None
    labels = labels_of(panels)
    head = capitalised(series.head.rstrip())
    for suffix in (" in", " of", " at", " for", " by", " after"):
        if series.head.rstrip().endswith(suffix):
            head = capitalised(series.head.rstrip().removesuffix(suffix))
    mark = writer.dice.pick((";", ";", ","))
    pieces = [writer.piece(labels, f"{head}{series.tail}:")]
    for place, panel in enumerate(panels):
        last = place == len(panels) - 1
        pieces.append(Piece((), " and " if last and writer.dice.chance(0.4) and mark == "," else " "))
        text = f"{writer.markers.before((panel.label,))} {series.items[place]}"
        pieces.append(writer.piece((panel.label,), text if last else f"{text}{mark}"))
    return [Sentence(pieces)]


def range_first(writer: Writer, panels: Sequence[PanelFacts]) -> Block | None:
    """The range, then each: "(d-g) Expression under stress. (d) Drought; (e) cold; ..."; at times out of order."""
    labels = labels_of(panels)
    series = writer.series(panels)
    if series is None or writer.markers.after or writer.all.issubset(labels) or len(panels) < 2:
        return None
    text = writer.topic.fill(writer.dice.pick(RANGE_HEADS)).replace(
        "$noun", SHORT.get(panels[0].drawer, "results")
    )
    block = [Sentence([writer.piece(labels, marked(writer, labels, text))])]
    order = list(range(len(panels)))
    if writer.dice.chance(0.15):
        order.reverse()
    mark = writer.dice.pick((".", ";"))
    for place in order:
        own = (panels[place].label,)
        text = f"{writer.markers.before(own)} {capitalised(series.of(place))}"
        block.append(Sentence([writer.piece(own, text)], mark=mark if place != order[-1] else "."))
    return block


def respectively(writer: Writer, panels: Sequence[PanelFacts]) -> Block | None:
    """Items in the order of the markers: "(A-C) Content of roots, shoots and leaves, respectively."."""
    series = writer.series(panels)
    labels = labels_of(panels)
    if series is None or writer.markers.after or writer.all.issubset(labels):
        return None
    pieces = [writer.piece(labels, marked(writer, labels, series.head or "both ").rstrip() + " ")]
    if not series.head:
        pieces = [writer.piece(labels, f"{writer.markers.before(labels)} ")]
    for place, panel in enumerate(panels):
        if place:
            pieces.append(Piece((), joint(writer.dice, place, len(panels))))
        item = series.items[place]
        pieces.append(writer.piece((panel.label,), capitalised(item) if not series.head and not place else item))
    pieces.append(writer.piece(labels, f"{series.tail}, respectively"))
    return [Sentence(pieces)]


def anchored(writer: Writer, panels: Sequence[PanelFacts]) -> Block | None:
    """The first in full, the others by it: "(B) ... (C) As in (B), but after 24 h."."""
    series = writer.series(panels)
    if series is None or writer.markers.after:
        return None
    first = (panels[0].label,)
    block = [Sentence([writer.piece(first, marked(writer, first, series.of(0)))])]
    block += writer.sentences(first, writer.notes(panels[0]))
    connection = series.head.rstrip().rpartition(" ")[2]
    connection = f"{connection} " if connection in {"in", "at", "of", "for", "after", "from"} else ""
    opening = writer.dice.pick(("as in", "same as", "as for", "like"))
    for place, panel in enumerate(panels[1:], start=1):
        reference = f"{opening} {writer.markers.mention(first)}"
        text = f"{reference}, {writer.dice.pick(('but ', ''))}{connection}{series.items[place]}"
        block.append(Sentence([writer.piece((panel.label,), marked(writer, (panel.label,), text))]))
    return block


#: Shapes for panels of one group, with their weights at medium and at hard.
SHAPES: tuple[tuple[Shape, float, float], ...] = (
    (separate, 0.30, 0.10),
    (together, 0.32, 0.18),
    (coordinated, 0.34, 0.40),
    (colon_list, 0.03, 0.05),
    (range_first, 0.04, 0.10),
    (respectively, 0.09, 0.12),
    (anchored, 0.04, 0.10),
)


def several(writer: Writer, panels: Sequence[PanelFacts]) -> Block:
    """Panels of one group, in a shape that suits them; one by one where none does."""
    weights = {
        str(place): medium + (hard - medium) * writer.hard for place, (_, medium, hard) in enumerate(SHAPES)
    }
    while weights:
        name = writer.dice.weighted(weights)
        block = SHAPES[int(name)][0](writer, panels)
        if block is not None:
            return block
        del weights[name]
    return [sentence for panel in panels for sentence in single(writer, panel)]
