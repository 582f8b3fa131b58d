"""Arrangements of a caption's panels: letter by letter, along rows and columns, by places, or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from panelwise_simulator.captions.blocks import Block, labels_of, marked, several, single
from panelwise_simulator.captions.phrases.catalogue import GELS, HISTOLOGY, MICROSCOPY, RADIOLOGY, SHORT
from panelwise_simulator.captions.phrases.language import capitalised, is_plural
from panelwise_simulator.captions.positions import Positions, clockwise, draw_positions
from panelwise_simulator.captions.writing import PanelFacts, Piece, Sentence, Writer, joint, sentence_case

#: What varies along the columns of a grid, and what along its rows; the words before it.
_ACROSS = {
    **dict.fromkeys(MICROSCOPY, ("channel", "{staining for|fluorescence of|}")),
    **dict.fromkeys(HISTOLOGY, ("antigen", "{staining for|immunostaining of|}")),
    **dict.fromkeys(GELS, ("marker", "{immunoblots of|levels of}")),
    **dict.fromkeys(RADIOLOGY, ("sequence", "")),
}


def lettered(writer: Writer) -> Block:
    """Panels with letters, in blocks, in order."""
    if writer.hard and writer.dice.chance(0.03 + 0.22 * writer.hard):
        block = _crossed(writer) or _by_columns(writer)
        if block is not None:
            return block
    block = _overview(writer) if writer.hard and writer.dice.chance(0.02 + 0.16 * writer.hard) else []
    for run in _runs(writer):
        block += several(writer, run) if len(run) > 1 else single(writer, run[0])
    return block


def _runs(writer: Writer) -> list[list[PanelFacts]]:
    """Neighbours to be spoken of together: mostly those of one group."""
    runs: list[list[PanelFacts]] = []
    grouped = 0.0 if not writer.hard else 0.3 + 0.55 * writer.hard
    alike = 0.0 if not writer.hard else 0.08 + 0.3 * writer.hard
    other = 0.0 if not writer.hard else 0.02 + 0.06 * writer.hard
    joining = False
    for panel in writer.panels:
        if runs:
            last = runs[-1][-1]
            if panel.group == last.group:
                joining = joining or (len(runs[-1]) == 1 and writer.dice.chance(grouped))
            elif panel.drawer == last.drawer:
                joining = writer.dice.chance(alike)
            else:
                joining = len(runs[-1]) < 3 and writer.dice.chance(other)
            if joining:
                runs[-1].append(panel)
                continue
        joining = False
        runs.append([panel])
    return runs


@dataclass(frozen=True, slots=True)
class _GridWords:
    """lead: what all columns begin with, with a blank, or ""; across: by column; down: by row ("in controls")."""

    lead: str
    across: tuple[str, ...]
    down: tuple[str, ...]

    def of(self, row: int, column: int) -> str:
        """One panel in words."""
        return f"{self.lead}{self.across[column]} {self.down[row]}"


def _grid(writer: Writer) -> list[list[PanelFacts]] | None:
    """The panels by row, where they fill a grid of at least 2 x 2."""
    rows: dict[int, list[PanelFacts]] = {}
    for panel in writer.panels:
        rows.setdefault(panel.row, []).append(panel)
    lengths = {len(row) for row in rows.values()}
    return list(rows.values()) if len(rows) > 1 and len(lengths) == 1 and lengths != {1} else None


def _grid_words(writer: Writer, rows: int, columns: int) -> _GridWords | None:
    """Words for the columns and for the rows of a grid of panels that show the like."""
    drawer = writer.panels[0].drawer
    if len({panel.drawer for panel in writer.panels}) > 1:
        return None
    axis, before = _ACROSS.get(drawer, ("measure", ""))
    across = writer.topic.items(axis, columns)
    axis, connection = writer.dice.pick((("group", "in"), ("time", "at"), ("dose", "at"), ("site", "in")))
    down = writer.topic.items(axis, rows)
    if across is None or down is None:
        return None
    lead = f"{writer.topic.fill(before)} ".lstrip()
    return _GridWords(lead, across, tuple(f"{connection} {item}" for item in down))


def _crossed(writer: Writer) -> Block | None:
    """Row by row, the columns named each time, or column by column: "Height of men (A) and women (C). ..."."""
    grid = _grid(writer)
    if grid is None or writer.markers.bare:
        return None
    found = _grid_words(writer, len(grid), len(grid[0]))
    if found is None:
        return None
    for at, row in enumerate(grid):
        for place, panel in enumerate(row):
            writer.remember(panel, found.of(at, place))
    if writer.dice.chance(0.5):
        return [
            _coordination(writer, row, found.lead, found.across, f" {condition}")
            for row, condition in zip(grid, found.down, strict=True)
        ]
    return [
        _coordination(writer, [row[place] for row in grid], f"{found.lead}{text} ", found.down, "")
        for place, text in enumerate(found.across)
    ]


def _coordination(
    writer: Writer, panels: Sequence[PanelFacts], head: str, items: Sequence[str], tail: str
) -> Sentence:
    labels = labels_of(panels)
    pieces = [writer.piece(labels, head)] if head else []
    for place, panel in enumerate(panels):
        if place:
            pieces.append(Piece((), joint(writer.dice, place, len(panels))))
        pieces.append(writer.piece((panel.label,), f"{items[place]} {writer.markers.within((panel.label,))}"))
    if tail:
        pieces.append(writer.piece(labels, tail))
    return Sentence(sentence_case(pieces))


def _by_columns(writer: Writer) -> Block | None:
    """Columns, then rows: "(A, D) Height. (B, E) Weight. (A, B) Men; (D, E) women."."""
    grid = _grid(writer)
    if grid is None or writer.markers.after:
        return None
    found = _grid_words(writer, len(grid), len(grid[0]))
    if found is None:
        return None
    block: Block = []
    for place, text in enumerate(found.across):
        column = labels_of([row[place] for row in grid])
        block.append(Sentence([writer.piece(column, marked(writer, column, found.lead + text))]))
    for at, row in enumerate(grid):
        labels = labels_of(row)
        block.append(Sentence([writer.piece(labels, marked(writer, labels, f"results {found.down[at]}"))]))
        for place, panel in enumerate(row):
            writer.remember(panel, found.of(at, place))
    return block


def _overview(writer: Writer) -> Block:
    """A sentence that names what comes, before the panels are gone through."""
    runs: list[list[PanelFacts]] = []
    for panel in writer.panels:
        if runs and runs[-1][-1].drawer == panel.drawer:
            runs[-1].append(panel)
        else:
            runs.append([panel])
    if not 2 <= len(runs) <= 4:
        return []
    opening = writer.dice.pick(("The figure shows ", "Shown are ", "Results of ", "Analysis by ", "Summary of "))
    pieces = [Piece((), opening)]
    for place, run in enumerate(runs):
        if place:
            pieces.append(Piece((), joint(writer.dice, place, len(runs))))
        noun = SHORT.get(run[0].drawer, "results")
        pieces.append(writer.piece(labels_of(run), f"{noun} {writer.markers.within(labels_of(run))}"))
    return [Sentence(pieces)]


def unlettered(writer: Writer) -> tuple[Block, str]:
    """Panels without letters, by their places or in order; and the name of the way."""
    positions = draw_positions(writer.dice)
    places = [positions.of(panel.row, panel.column, panel.rows, panel.columns) for panel in writer.panels]
    if len(set(places)) < len(places) or "" in places:
        return [], "none"
    ways = {"places": 0.5, "after places": 0.25, "rows": 0.15, "in turn": 0.1}
    if not writer.hard:
        ways = {"places": 1.0}
    if len(writer.panels) > 6:
        ways["rows"] = 1.5
    way = writer.dice.weighted(ways)
    block: Block | None = None
    if way == "rows":
        block = _rows(writer, positions)
    elif way == "in turn":
        block = _in_turn(writer)
    elif way == "after places":
        block = _after_places(writer, places)
    if block is None:
        block, way = _places(writer, places), "places"
    return block, way


def _places(writer: Writer, places: Sequence[str]) -> Block:
    """ "Left: axial CT. Right: coronal CT." and the like."""
    form = writer.dice.pick(("{P}: ", "{P}, ", "{P} panel: ", "({p}) ", "{P} – "))
    mark = writer.dice.pick((".", ".", ";"))
    capital = mark == "." and not form.endswith(", ")
    block: Block = []
    for panel, place in zip(writer.panels, places, strict=True):
        description = writer.describe(panel)
        if mark == ";":
            description.notes.clear()
        text = writer.showing(description)
        opening = (
            form.format(P=capitalised(place), p=place)
            if not block or mark == "."
            else form.format(P=place, p=place)
        )
        own = (panel.label,)
        block.append(
            Sentence([writer.piece(own, f"{opening}{capitalised(text) if capital else text}")], mark=mark)
        )
        block += writer.sentences(own, description.notes)
    block[-1].mark = "."
    return block


def _after_places(writer: Writer, places: Sequence[str]) -> Block | None:
    """One sentence, or one a panel: "Axial CT (left) and coronal CT (right) of the chest."."""
    series = writer.series(writer.panels)
    block: Block = []
    if series is None or len(writer.panels) > 5:
        for panel, place in zip(writer.panels, places, strict=True):
            description = writer.describe(panel)
            tail = writer.tail(description.finding, plural=is_plural(description.noun))
            text = f"{description.noun} ({place}){tail}"
            block.append(Sentence([writer.piece((panel.label,), capitalised(text))]))
        return block
    pieces = [Piece((), series.head)] if series.head else []
    for at, (panel, place) in enumerate(zip(writer.panels, places, strict=True)):
        if at:
            pieces.append(Piece((), joint(writer.dice, at, len(places))))
        pieces.append(writer.piece((panel.label,), f"{series.items[at]} ({place})"))
    pieces.append(Piece((), series.tail + writer.tail(writer.shared_finding(writer.panels), plural=None)))
    return [Sentence(sentence_case(pieces))]


def _rows(writer: Writer, positions: Positions) -> Block | None:
    """ "Top row, Wild type: nuclei, actin and merge. Bottom row: ..."; rows or columns with text in common."""
    grid = _grid(writer)
    if grid is None:
        return None
    found = _grid_words(writer, len(grid), len(grid[0]))
    if found is None or len(grid[0]) > 3:
        return None
    unit, other = ("row", "from left to right") if writer.dice.chance(0.8) else ("panels", "left to right")
    block: Block = []
    for at, row in enumerate(grid):
        condition = found.down[at]
        name = positions.down(row[0].row, len(grid))
        pieces = [writer.piece(labels_of(row), capitalised(f"{name} {unit}: results {condition}"))]
        if writer.dice.chance(0.6):
            pieces.append(Piece((), f"; {other}, "))
            for place, panel in enumerate(row):
                if place:
                    pieces.append(Piece((), joint(writer.dice, place, len(row))))
                pieces.append(writer.piece((panel.label,), found.lead + found.across[place]))
        for place, panel in enumerate(row):
            writer.remember(panel, found.of(at, place))
        block.append(Sentence(pieces))
    if not any(len(sentence.pieces) > 1 for sentence in block):
        for place, text in enumerate(found.across):
            column = [row[place] for row in grid]
            name = positions.across(place, len(found.across))
            told = capitalised(f"{name} column: {found.lead}{text}")
            block.append(Sentence([writer.piece(labels_of(column), told)]))
    return block


def _in_turn(writer: Writer) -> Block | None:
    """ "From left to right: ..." in one row, "Clockwise from upper left: ..." of a 2 x 2 figure."""
    order = list(range(len(writer.panels)))
    opening = writer.dice.pick(("From left to right: ", "Left to right: "))
    if len({panel.row for panel in writer.panels}) > 1:
        around = clockwise([(panel.row, panel.column) for panel in writer.panels])
        if around is None:
            return None
        order, opening = around, writer.dice.pick(("Clockwise from upper left: ", "Clockwise from top left: "))
    pieces = [Piece((), opening)]
    for at, place in enumerate(order):
        panel = writer.panels[place]
        if at:
            pieces.append(Piece((), joint(writer.dice, at, len(order))))
        pieces.append(writer.piece((panel.label,), writer.describe(panel, finding=0.15).noun))
    return [Sentence(pieces)]
