"""The Methods paragraph of a report: what was measured, how, on what, and what was left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version

from agreement.primitives.rules import Common, Mode
from agreement.report.markup import escaped, interval, score, whole
from agreement.report.summary import Report
from agreement.score.subfigure_f1 import LeftOut
from panelwise.runtime import named

#: Keys of `references`.
METRIC, SOFTWARE = "subramanian2020medicat", "panelwise"

_WITHOUT_TOKEN = {
    Mode.PAPER: "Gold subfigures without a token that counts are left out.",
    Mode.OFFICIAL: (
        "Gold subfigures without a token that counts are left out if their box was matched, and score 0 "
        "otherwise, as in the authors' code."
    ),
}
_COMMON = {
    Common.NONE: "Tokens in all subcaptions of a figure count as any other.",
    Common.GOLD: "Tokens in all of an annotator's subcaptions of a figure are removed from the gold side.",
    Common.BOTH: "Tokens in all of an annotator's subcaptions of a figure are removed from both sides.",
}
_LEFT_OUT = {
    LeftOut.NO_SUBCAPTION: "without a subcaption",
    LeftOut.ONLY_COMMON_TOKENS: "with common tokens only",
    LeftOut.NO_COUNTED_TOKEN: "without a token that counts",
    LeftOut.NO_AREA: "with a box without area",
}


@dataclass(frozen=True, slots=True)
class Style:
    """The markup of a paragraph: escaped names, code, references, per cent."""

    escape: Callable[[str], str]
    code: str
    cite: Mapping[str, str]
    percent: str


PLAIN = Style(str, "%s", {METRIC: " (Subramanian et al., 2020)", SOFTWARE: ""}, "%")
LATEX = Style(escaped, r"\texttt{%s}", {key: f"~\\cite{{{key}}}" for key in (METRIC, SOFTWARE)}, r"\,\%")


def methods(report: Report, style: Style = LATEX) -> str:
    """Return the paragraph, a sentence or two a line, ending in a newline; in LaTeX it cites `references`."""
    return "\n".join([*_metric(report, style), *_result(report, style), *_exclusions(report, style)]) + "\n"


def references() -> str:
    """Return references.bib: the metric's paper, and this software."""
    return (
        f"@inproceedings{{{METRIC},\n"
        "  title = {{MedICaT}: A Dataset of Medical Images, Captions, and Textual References},\n"
        "  author = {Subramanian, Sanjay and Wang, Lucy Lu and Bogin, Ben and Mehta, Sachin and\n"
        "    van Zuylen, Madeleine and Parasa, Sravanthi and Singh, Sameer and Gardner, Matt and\n"
        "    Hajishirzi, Hannaneh},\n"
        "  booktitle = {Findings of the Association for Computational Linguistics: EMNLP 2020},\n"
        "  year = {2020},\n"
        "  pages = {2112--2120},\n"
        "  doi = {10.18653/v1/2020.findings-emnlp.191},\n"
        "}\n\n"
        f"@misc{{{SOFTWARE},\n"
        "  author = {{Panelwise}},\n"
        "  title = {{Panelwise}: From Compound Scientific Figures and Captions to Trusted Gold Data},\n"
        f"  note = {{Version {version('panelwise')}}},\n"
        "}\n"
    )


def _metric(report: Report, style: Style) -> Iterator[str]:
    settings = report.settings
    yield (
        f"Inter-annotator agreement (IAA) was measured as the IoU-gated token F1 of MedICaT{style.cite[METRIC]} "
        f"(rules {style.code % style.escape(settings.mode.value)}) with Panelwise "
        f"{style.escape(version('panelwise'))}{style.cite[SOFTWARE]}."
    )
    yield (
        "In each ordered pair of annotators, one annotator's subfigures are the gold. Each gold subfigure is "
        "compared with the subfigure of the other annotator whose box has the largest intersection over union "
        "(IoU)."
    )
    yield (
        f"If that IoU is below {settings.min_iou:g}, the gold subfigure scores 0; otherwise it scores the F1 "
        f"between the two sets of caption tokens. Tokens that count: {style.escape(settings.mode.tokens)}."
    )
    yield f"{_COMMON[settings.common_used]} {_WITHOUT_TOKEN[settings.mode]}"
    yield (
        "The score of a pair is the mean over its gold subfigures that count; IAA is the unweighted mean over the "
        "ordered pairs that have a score."
    )


def _result(report: Report, style: Style) -> Iterator[str]:
    counts = report.counts
    of_phase = f" in phase {style.escape(report.phase)}" if report.phase is not None else ""
    if not counts.annotations:
        yield f"No annotations were submitted{of_phase}."
        return
    yield (
        f"{_counted(len(report.annotators), 'annotator')}{of_phase} submitted "
        f"{_counted(counts.annotations, 'annotation')} of {_counted(counts.figures, 'figure')} with "
        f"{_counted(counts.subfigures, 'subfigure')}; {_counted(counts.shared, 'figure')} "
        f"{named(counts.shared, 'was', 'were')} annotated by two or more, and {_counted(counts.scored, 'figure')} "
        f"{named(counts.scored, 'is', 'are')} part of a score."
    )
    if report.iaa is None:
        yield f"IAA is undefined: {style.escape(report.reason)}."
        return
    scored = sum(pair.score is not None for pair in report.pairs)
    yield f"IAA over {_counted(scored, 'ordered pair')} is {score(report.iaa)}{_confidence(report, style)}."


def _confidence(report: Report, style: Style) -> str:
    found, settings = report.intervals, report.settings
    if found.iaa is None:
        return f", without a confidence interval ({style.escape(found.reason)})"
    how = (
        f"percentile bootstrap over {found.unit}s, {whole(settings.resamples)} resamples, seed {settings.seed}"
        if found.method == "bootstrap"
        else f"linearised standard error over {found.unit}s"
    )
    return f" (95{style.percent} confidence interval {interval(found.iaa)}; {how})"


def _exclusions(report: Report, style: Style) -> Iterator[str]:
    counts = report.counts
    left_out = [f"{whole(number)} {_LEFT_OUT[why]}" for why, number in counts.left_out.items() if number]
    if left_out:
        yield f"Gold subfigures left out, over all pairs: {', '.join(left_out)}."
    for why, figures in counts.passed.items():
        yield f"{_counted(len(figures), 'figure')} left out of a pair: {style.escape(why.display)}."
    if counts.superseded:
        replaced = len(counts.superseded)
        yield f"Annotations left out because a later one replaces them: {whole(replaced)}."
    if counts.partly_read:
        yield f"Annotations left out because a part of them could not be read: {whole(counts.partly_read)}."
    yield from _independence(report)
    seeded = report.seeded.annotations
    yield (
        f"{_counted(seeded, 'annotation')} began from a model's prediction, which can raise agreement."
        if seeded
        else "No annotation began from a model's prediction."
    )


def _independence(report: Report) -> Iterator[str]:
    """Say which submission of an annotator counts, and who knew figures before."""
    corrected, seen = report.corrected, report.acquainted
    if corrected is None:
        yield "An annotator's last submission counts; it is unknown if any was changed after seeing others' work."
    else:
        yield (
            "An annotator's last submission counts from before others' work on the figure, or a hint about it, "
            "reached them."
        )
        if corrected.annotations:
            yield (
                f"{_counted(corrected.annotations, 'annotation')} {named(corrected.annotations, 'was', 'were')} "
                f"corrected after that, {whole(corrected.sent_back)} of them sent back by a reviewer"
                f"{'' if corrected.iaa is None else f'; with the corrected work IAA is {score(corrected.iaa)}'}."
            )
    if seen is not None:
        parts = (("on these", seen.before.iaa), ("on the others", seen.new.iaa))
        known = " and ".join(f"{score(iaa)} {where}" for where, iaa in parts if iaa is not None)
        people = _counted(len(seen.people), "annotator")
        yield f"{people} knew figures before{f': IAA is {known}' if known else ''}."


def _counted(number: int, noun: str) -> str:
    return f"{whole(number)} {named(number, noun)}"
