"""Systems that answer questions as JSON: unrounded numbers, null with its reason. Scripts rely on the keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agreement.questions.systems import RANKED_BY, SystemComparison, SystemScore
from agreement.report.blocks import plain
from agreement.report.json.parts import json_text
from agreement.resampling.clusters import Ratio


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
