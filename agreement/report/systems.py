"""Systems that answer questions as text within 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agreement.questions.systems import BERT, RANKED_BY, SystemComparison, SystemScore
from agreement.report.blocks import plain
from agreement.report.html.page import render
from agreement.report.json.report import json_text
from agreement.report.text.names import ShortNames
from agreement.report.text.parts import NAME, interval_text, score_text
from agreement.resampling.clusters import Ratio
from panelwise.runtime import counted

#: Measures in the table, and their titles.
SHOWN = {"exact_match": "exact", "equal": "equal", "rouge_1": "ROUGE-1", "rouge_l": "ROUGE-L", BERT[0]: "BERT"}
KIND = 40


def systems_text(found: SystemComparison) -> str:
    """Return the comparison as text: the ranking with intervals, then each system by type of question."""
    names = ShortNames((each.system for each in found.ranking), NAME)
    shown = [key for key in SHOWN if key in found.ranking[0].measures]
    asked = f"{counted(found.questions, 'question')} on {counted(found.figures, 'figure')}"
    drawn = (
        f"{found.resamples} resamples of {found.unit}s, seed {found.seed}" if found.resamples else "no resamples"
    )
    lines = ["Answers compared to gold", f"{asked}; 95 % CI: {drawn}", "", _heads("system", NAME, shown)]
    for each in found.ranking:
        lines.append(_row(names.cell(each.system), each, shown))
        lines += _precision(each)
    lines += ["", f"{'95 % CI of ROUGE-1':{NAME + 10}} {'score':18} behind the best"]
    for each in found.ranking:
        behind = found.behind.get(each.system)
        lead = (
            ""
            if behind is None
            else f"{behind['rouge_1'].value:.4f} ({interval_text(behind['rouge_1'].interval)})"
        )
        score = interval_text(each.measures["rouge_1"].interval)
        lines.append(f"{names.cell(each.system):{NAME + 10}} {score:18} {lead}")
    for system in found.ranking:
        lines += ["", _heads(names.cell(system.system).strip(), KIND, shown)]
        for each in found.scores:
            if each.system == system.system and each.kind is not None:
                lines.append(_row(f"{each.kind.value.removeprefix('closed-ended '):{KIND}}", each, shown))
                ends = (interval_text(each.measures[key].interval) for key in ("exact_match", "rouge_1"))
                lines.append(f"  95 % CI: exact {', ROUGE-1 '.join(ends)}")
    lines += _left(found)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _heads(title: str, width: int, shown: Iterable[str]) -> str:
    return f"{title:{width}}" + "".join(f" {SHOWN[key]:>8}" for key in shown)


def _row(name: str, score: SystemScore, shown: Iterable[str]) -> str:
    return name + "".join(f" {score_text(score.measures[key].value)}" for key in shown)


def _precision(score: SystemScore) -> Iterable[str]:
    for key in ("rouge_1", "rouge_l", BERT[0]):
        if key in score.measures:
            precision, recall = (score.measures[f"{key}_{part}"].value for part in ("precision", "recall"))
            yield f"  {SHOWN[key]:8} precision {score_text(precision)}, recall {score_text(recall)}"


def _left(found: SystemComparison) -> Iterable[str]:
    yield ""
    for each in found.ranking:
        if each.missing or each.unknown:
            missing = counted(each.missing, "question")
            yield f"{each.system}: no answer to {missing}, {each.unknown} not known; all of these count as wrong"
        if found.surplus[each.system]:
            yield f"{each.system}: {counted(found.surplus[each.system], 'answer')} to other questions left out"


def systems_json(found: SystemComparison) -> str:
    """Return the comparison as one JSON object, with a final newline."""
    return json_text(
        {
            "questions": found.questions,
            "figures": found.figures,
            "bootstrap": found.resamples,
            "seed": found.seed,
            "resampled": found.unit,
            "ranked_by": RANKED_BY,
            "systems": [
                {
                    "system": each.system,
                    **_score(each),
                    "by_type": [
                        {"qa_pair_type": own.kind.value, **_score(own)}
                        for own in found.scores
                        if own.system == each.system and own.kind is not None
                    ],
                    "behind_best": _measures(found.behind[each.system]) if each.system in found.behind else None,
                    "surplus": found.surplus[each.system],
                }
                for each in found.ranking
            ],
        }
    )


def _score(score: SystemScore) -> dict[str, Any]:
    counts = {"questions": score.questions, "missing": score.missing, "unknown": score.unknown}
    return {**counts, "measures": _measures(score.measures)}


def _measures(measures: Mapping[str, Ratio]) -> dict[str, Any]:
    return {
        name: {"value": each.value, "interval": plain(each.interval), "reason": plain(each.reason)}
        for name, each in measures.items()
    }


def systems_html(found: SystemComparison, *, sources: Sequence[str] = ()) -> str:
    """Return the comparison as a page, with a final newline. sources: names of the files of gold and answers."""
    sections = {"ranking": "Ranking", "types": "Types of question", "counts": "Counts"}
    return render(
        "systems.html",
        {
            "found": found,
            "shown": {key: name for key, name in SHOWN.items() if key in found.ranking[0].measures},
            "by_type": [each for each in found.scores if each.kind is not None],
            "sources": sources,
            "sections": list(sections.items()),
        },
    )
