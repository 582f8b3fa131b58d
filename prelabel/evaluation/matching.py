"""Recall of the right image for a caption, over trained matchers: Tables 3 and 4 of the MedICaT paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from panelwise.runtime import counted
from prelabel.evaluation.model_lines import model_record, model_text
from prelabel.models.checkpoints import About

#: Ranks within which the right image counts as found.
AT = (1, 5, 10, 20)


@dataclass(frozen=True, slots=True)
class PaperRuns:
    """Five runs on 2,000 pairs, in per cent for each of `AT`: mean, its standard error, best and worst run."""

    mean: tuple[float, ...]
    error: tuple[float, ...]
    best: tuple[float, ...]
    worst: tuple[float, ...]


#: Tables 3 and 4, by whether references were learnt from.
PAPER = {
    False: PaperRuns((7.6, 26, 41, 58), (0.59, 1.6, 1.6, 1.3), (9.4, 31, 46, 61), (5.8, 21, 35, 53)),
    True: PaperRuns((9.4, 30, 44, 60), (0.38, 1.2, 1.7, 1.2), (10, 32, 47, 63), (8.3, 25, 38, 57)),
}
_NAMES = {False: "captions", True: "captions + references"}
_OTHER_SETTING = (
    "the paper's numbers stand beside runs of its size and settings only; not all of these are, see "
    "`prelabel train matcher --like-the-authors`"
)


@dataclass(frozen=True, slots=True)
class Run:
    """A trained matcher on the test. references: if it learnt from these. recall: for each of `AT`, 0 to 1.

    follows: whether it is of the paper's size, and was trained by its settings. about: its checkpoint's metadata.
    """

    version: str
    references: bool
    recall: tuple[float, ...]
    follows: bool = False
    about: About | None = None


@dataclass(frozen=True, slots=True)
class Matching:
    """All runs on the same pairs of caption and image. notes: of matchers that may have learnt from these."""

    pairs: int
    runs: tuple[Run, ...]
    notes: tuple[str, ...] = ()

    def groups(self) -> dict[bool, list[Run]]:
        """Return the runs by whether they learnt from references; without groups that have none."""
        found = {kind: [run for run in self.runs if run.references is kind] for kind in _NAMES}
        return {kind: runs for kind, runs in found.items() if runs}


def recall_at(ranks: Sequence[int]) -> tuple[float, ...]:
    """Return the share of ranks, from 1, that are no more than each of `AT`."""
    return tuple(fmean(rank <= most for rank in ranks) for most in AT)


def matching_record(matching: Matching) -> dict[str, Any]:
    """Return the result as JSON values."""
    return {
        "pairs": matching.pairs,
        "notes": list(matching.notes),
        "runs": [
            {"version": run.version, "references": run.references, "recall": _by_at(run.recall)}
            for run in matching.runs
        ],
        "models": [model_record(run.about) for run in matching.runs if run.about is not None],
        "groups": [
            {
                "texts": _NAMES[kind],
                "runs": len(runs),
                "mean": _by_at([_mean(runs, place) for place in range(len(AT))]),
                "standard_error": _by_at([_error(runs, place) for place in range(len(AT))]),
                "best": _by_at(_best(runs).recall),
                "worst": _by_at(_worst(runs).recall),
                "paper": _by_at(_shares(PAPER[kind].mean)) if _follow(runs) else None,
                "paper_standard_error": _by_at(_shares(PAPER[kind].error)) if _follow(runs) else None,
                "paper_best": _by_at(_shares(PAPER[kind].best)) if _follow(runs) else None,
                "paper_worst": _by_at(_shares(PAPER[kind].worst)) if _follow(runs) else None,
            }
            for kind, runs in matching.groups().items()
        ],
    }


def matching_text(matching: Matching) -> str:
    """Return a Markdown table, in per cent: mean ± standard error, best and worst run, the paper's, chance.

    The paper's numbers stand beside runs that follow it only.
    """
    lines = [
        f"Captions matched to images: {counted(matching.pairs, 'pair')}, "
        f"{counted(len(matching.runs), 'trained matcher')}",
        "",
        f"| learnt from | {' | '.join(f'Recall@{most}' for most in AT)} |",
        f"|---|{'--:|' * len(AT)}",
    ]
    for kind, runs in matching.groups().items():
        lines.append(_row(f"{_NAMES[kind]}, {counted(len(runs), 'run')}", map(_meaned(runs), range(len(AT)))))
        if len(runs) > 1:
            for name, run in (("best", _best(runs)), ("worst", _worst(runs))):
                lines.append(_row(f"{name}: {run.version}", (f"{100 * each:.1f}" for each in run.recall)))
        if _follow(runs):
            paper = PAPER[kind]
            cells = (f"{mean:g} ± {error:g}" for mean, error in zip(paper.mean, paper.error, strict=True))
            lines.append(_row("MedICaT paper, 2,000 pairs, 5 runs", cells))
            for name, recall in (("best", paper.best), ("worst", paper.worst)):
                lines.append(_row(f"paper's {name} run", (f"{each:g}" for each in recall)))
    chance = (f"{100 * min(1.0, most / matching.pairs):.1f}" for most in AT)
    models = [model_text(run.about) for run in matching.runs if run.about is not None]
    other = [] if _follow(matching.runs) else [_OTHER_SETTING]
    notes = [line for part in (models, [*matching.notes, *other]) if part for line in ("", *part)]
    return "\n".join([*lines, _row("chance", chance), *notes]) + "\n"


def _follow(runs: Iterable[Run]) -> bool:
    return all(run.follows for run in runs)


def _shares(percents: Iterable[float]) -> list[float]:
    return [each / 100 for each in percents]


def _row(name: str, cells: Iterable[str]) -> str:
    return f"| {name} | {' | '.join(cells)} |"


def _meaned(runs: Sequence[Run]) -> Any:
    def cell(place: int) -> str:
        error = _error(runs, place)
        return f"{100 * _mean(runs, place):.1f}" + ("" if error is None else f" ± {100 * error:.2f}")

    return cell


def _by_at(values: Iterable[float | None]) -> Mapping[str, float | None]:
    return dict(zip(map(str, AT), values, strict=True))


def _mean(runs: Sequence[Run], place: int) -> float:
    return fmean(run.recall[place] for run in runs)


def _error(runs: Sequence[Run], place: int) -> float | None:
    """Return the standard error of the mean; None of one run."""
    return stdev(run.recall[place] for run in runs) / len(runs) ** 0.5 if len(runs) > 1 else None


def _best(runs: Sequence[Run]) -> Run:
    return max(runs, key=lambda run: run.recall)


def _worst(runs: Sequence[Run]) -> Run:
    return min(runs, key=lambda run: run.recall)
