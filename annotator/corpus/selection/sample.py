"""Draw figures at random, each stratum in its proportion, and never one that an earlier draw had."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotator.corpus.selection.exclusions import Exclusions
from annotator.corpus.selection.figure_lines import FigureLine, figure_lines, figure_types
from panelwise.domain import AnnotatorError, FormatError
from panelwise.files import Fields, Problems, encode_line, read_lines, write_lines
from panelwise.runtime import counted, locked, whole_file

#: What figures can be stratified by.
STRATA: dict[str, Callable[[FigureLine], str]] = {
    "article": lambda figure: figure.document,
    "type": lambda figure: ", ".join(figure_types(figure.record)),
    "year": lambda figure: str(figure.source.get("year") or ""),
    "journal": lambda figure: str(figure.source.get("journal") or ""),
}


@dataclass(frozen=True, slots=True)
class Draw:
    """A draw at random: number of figures, the `STRATA` to balance (the first is balanced best), and the seed."""

    figures: int
    by: tuple[str, ...] = ()
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Drawn:
    """The outcome. available: figures to draw from. strata: (values, available, drawn) in the order of values."""

    figure_ids: list[str]
    available: int
    strata: list[tuple[list[str], int, int]]


@dataclass(frozen=True, slots=True)
class _Candidate:
    #: Random numbers of the figure's strata, then of the figure itself.
    order: tuple[int, ...]
    stratum: tuple[str, ...]
    figure_id: str


def sample(figures: Path, out: Path, log: Path, draw: Draw, exclusions: Exclusions, problems: Problems) -> Drawn:
    """Write the drawn figures, unchanged and in the file's order, and add the draw to the log.

    Figures of the log's earlier draws are left out; another draw with this log waits for this one. The draw
    depends on the ids, strata and seed only, not on the order of lines. Each figure is as likely, and each
    stratum of the first kind has its proportion, rounded down or up. Ids and strata are held in memory. Raises
    FormatError for a log that cannot be read, AnnotatorError if too few figures are left.
    """
    with locked(log.with_name(f".{log.name}.lock")):
        return _sample(figures, out, log, draw, exclusions, problems)


def _sample(figures: Path, out: Path, log: Path, draw: Draw, exclusions: Exclusions, problems: Problems) -> Drawn:
    earlier = list(_earlier(log))
    known = {name for entry in earlier for name in entry["figure_ids"]}
    candidates = sorted(
        _candidates(figures, known, draw, exclusions, problems), key=lambda candidate: candidate.order
    )
    exclusions.report(problems)
    if draw.figures > len(candidates):
        raise AnnotatorError(
            f"{figures}: has {counted(len(candidates), 'figure')} to draw from, after {len(known)} of earlier "
            f"draws ({log}) and excluded ones; draw fewer than {draw.figures}"
        )
    chosen = [candidates[place] for place in _places(len(candidates), draw)]
    names = {each.figure_id for each in chosen}
    all_strata, drawn_strata = (Counter(each.stratum for each in group) for group in (candidates, chosen))
    with whole_file(out) as file:
        ids = []
        for figure in figure_lines(figures, Problems()):
            if figure.figure_id in names:
                ids.append(figure.figure_id)
                file.write(encode_line(figure.record))
        strata = [(list(values), count, drawn_strata[values]) for values, count in sorted(all_strata.items())]
        drawn = Drawn(ids, len(candidates), strata)
        # Before `out` appears: a draw that was interrupted here is lost, but never repeated.
        write_lines(log, [*earlier, _log_line(figures, out, draw, drawn)])
    return drawn


def _earlier(log: Path) -> Iterator[Mapping[str, Any]]:
    if not log.exists():
        return
    problems = Problems()
    for line in read_lines(log, problems):
        Fields(line.where, line.record).texts("figure_ids")
        if "figure_ids" not in line.record:
            raise FormatError(f"{line.where}: is no draw; name the log of earlier draws, or a new file")
        yield line.record
    if problems.count:
        raise FormatError(problems.lines[0])


def _candidates(
    figures: Path, known: set[str], draw: Draw, exclusions: Exclusions, problems: Problems
) -> Iterator[_Candidate]:
    for figure in figure_lines(figures, problems):
        if figure.figure_id not in known and not exclusions.match(figure):
            stratum = tuple(STRATA[name](figure) for name in draw.by)
            order = tuple(_random(draw.seed, *stratum[: length + 1]) for length in range(len(stratum)))
            yield _Candidate((*order, _random(draw.seed, "figure", figure.figure_id)), stratum, figure.figure_id)


def _random(seed: int, *texts: str) -> int:
    """Return 64 bits that depend on the seed and the texts, on every machine the same."""
    return int.from_bytes(hashlib.blake2b(encode_line({"of": [seed, *texts]}), digest_size=8).digest())


def _places(available: int, draw: Draw) -> Iterator[int]:
    """Yield places at equal distances from a random start: a systematic sample of the sorted candidates."""
    start = _random(draw.seed, "start")
    for number in range(draw.figures):
        yield ((number << 64) + start) * available // (draw.figures << 64)


def _log_line(figures: Path, out: Path, draw: Draw, drawn: Drawn) -> dict[str, Any]:
    return {
        "from": figures.name,
        "out": out.name,
        "seed": draw.seed,
        "by": list(draw.by),
        "available": drawn.available,
        "strata": [
            {"values": values, "available": available, "drawn": count} for values, available, count in drawn.strata
        ],
        "figure_ids": drawn.figure_ids,
    }


def summary(drawn: Drawn, draw: Draw, log: Path) -> Sequence[str]:
    """Return the report in lines."""
    kinds = f", by {', '.join(draw.by)} ({counted(len(drawn.strata), 'stratum', 'strata')})" if draw.by else ""
    return [
        f"drew {len(drawn.figure_ids)} of {counted(drawn.available, 'figure')} with seed {draw.seed}{kinds}",
        f"added the draw to {log}; later draws with this log have other figures",
    ]
