"""Systems that answer questions as JSON: unrounded numbers, null with its reason. Scripts rely on the keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agreement.questions.systems import RANKED_BY, SystemComparison
from agreement.report.json.parts import json_text
from agreement.report.table import Table
from agreement.resampling.clusters import Ratio

MEASURE = Table("value interval reason")
SCORE = Table("questions missing unknown", computed={"measures": lambda row: _measures(row.measures)})


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
                    **SCORE.record(each),
                    "by_type": [
                        {"qa_pair_type": own.kind.value, **SCORE.record(own)}
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


def _measures(measures: Mapping[str, Ratio]) -> dict[str, Any]:
    return {name: MEASURE.record(each) for name, each in measures.items()}
