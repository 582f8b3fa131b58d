"""Hold measured branch coverage (.coverage) against the floors: 100% of domain and metrics, 90% of the rest."""

from __future__ import annotations

import io
import sys

from coverage import Coverage

FLOORS = (
    ("annotator/domain", ["annotator/domain/*"], [], 100.0),
    ("agreement/metrics", ["agreement/metrics/*"], [], 100.0),
    ("the rest", [], ["annotator/domain/*", "agreement/metrics/*", "annotator/store/migrations/*"], 90.0),
)


def main() -> int:
    coverage = Coverage()
    coverage.load()
    failed = 0
    for name, include, omit, floor in FLOORS:
        found = coverage.report(include=include or None, omit=omit or None, file=io.StringIO())
        short = found < floor - 1e-9
        failed += short
        print(f"coverage of {name}: {found:.1f}% (floor {floor:.0f}%){'  TOO LOW' if short else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
