"""Hold measured branch coverage (.coverage) against the floors: 100% of domain and metric, 90% of the rest."""

from __future__ import annotations

import io
import sys

from coverage import Coverage

#: The metric and its statistics: all of `agreement` but reading files and writing reports.
ROOMS = (
    "primitives",
    "columns",
    "score",
    "pairs",
    "consensus",
    "resampling",
    "chance",
    "trends",
    "questions",
    "models",
)
METRIC = (
    *(f"agreement/{room}/*" for room in ROOMS),
    "agreement/report/summary.py",
    "agreement/report/full_report.py",
)
FLOORS = (
    ("panelwise/domain", ["panelwise/domain/*"], [], 100.0),
    ("the metric", METRIC, [], 100.0),
    ("the rest", [], ["panelwise/domain/*", *METRIC, "annotator/store/migrations/*"], 90.0),
)


def main() -> int:
    coverage = Coverage()
    coverage.load()
    failed = 0
    for name, include, omit, floor in FLOORS:
        lines = io.StringIO()
        found = coverage.report(
            include=include or None, omit=omit or None, file=lines, show_missing=floor == 100, skip_covered=True
        )
        short = found < floor - 1e-9
        failed += short
        print(f"coverage of {name}: {found:.1f}% (floor {floor:.0f}%){'  TOO LOW' if short else ''}")
        if short and floor == 100:
            print(lines.getvalue())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
