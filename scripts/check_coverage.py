"""Hold measured branch coverage against the floors: 100% of domain and metric, 90% of the rest.

python scripts/check_coverage.py FILE     (JSON, as SlipCover writes it)
"""

from __future__ import annotations

import json
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

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
DOMAIN = ("panelwise/domain/*",)
#: Lines and branches of these files that some test runs, of a hundred.
FLOORS = (("panelwise/domain", DOMAIN, 100.0), ("the metric", METRIC, 100.0), ("the rest", ("*",), 90.0))


def share(files: dict[str, Any]) -> float:
    """Percent of the lines and branches of files that were run."""
    ran, missed = 0, 0
    for each in files.values():
        ran += each["summary"]["covered_lines"] + each["summary"]["covered_branches"]
        missed += each["summary"]["missing_lines"] + each["summary"]["missing_branches"]
    return 100 * ran / (ran + missed) if ran + missed else 0.0


def without_pragmas(path: str, file: dict[str, Any]) -> None:
    """Take out the missing branches of lines that say "pragma: no branch", which SlipCover does not know."""
    source = Path(path).read_text(encoding="utf-8").splitlines()
    missing = [jump for jump in file["missing_branches"] if "pragma: no branch" not in source[jump[0] - 1]]
    file["summary"]["missing_branches"] -= len(file["missing_branches"]) - len(missing)
    file["missing_branches"] = missing


def main(measured: Path) -> int:
    """Print the coverage of each part; status 1 where one is below its floor, or was not measured."""
    left = json.loads(measured.read_text())["files"]
    for path, each in left.items():
        without_pragmas(path, each)
    failed = 0
    for name, patterns, floor in FLOORS:
        files = {path: left.pop(path) for path in sorted(left) if any(fnmatch(path, each) for each in patterns)}
        found = share(files)
        short = found < floor - 1e-9
        failed += short
        print(f"coverage of {name}: {found:.1f}% (floor {floor:.0f}%){'  TOO LOW' if short else ''}")
        for path, each in files.items():
            if short and floor == 100 and (each["missing_lines"] or each["missing_branches"]):
                jumps = ", ".join(f"{start}->{end}" for start, end in each["missing_branches"])
                print(f"  {path}: lines {each['missing_lines']}, branches {jumps or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
