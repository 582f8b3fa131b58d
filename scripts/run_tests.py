"""Run every test: `make test`. With CI or COVERAGE set, coverage is measured and held against its floors.

Tests that start servers and browsers (tests/live) mostly wait, the others compute. So both halves run at the same
time; the computing one gives way, for no test of a server is to be slow because another test draws figures.
Options are handed on to both, as in `make test PYTEST_ARGS="-k gold"`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

REPOSITORY = Path(__file__).resolve().parent.parent
#: pytest's status where no test was left to run.
NOTHING_SELECTED = 5
#: How far the computing half gives way: on a busy machine, too, it must get on.
PATIENCE = 3
#: A test that hangs shows where, and fails.
HANGS = ("-o", "faulthandler_timeout=600", "-o", "faulthandler_exit_on_timeout=true")
#: Where the tests are that start servers; tests/live/conftest.py says which of them stay together. The simulator's
#: tests run with the others.
SERVERS = "tests/live"
LIVE = ("-o", f"testpaths={SERVERS}", "-n", "3", "--dist", "loadfile", "--no-loadscope-reorder")
OTHERS = (f"--ignore={SERVERS}", "-n", "3", "--dist", "worksteal")
#: Where coverage is measured, SlipCover starts pytest: a fifth more time, where tracing takes as much again.
#: It tells a newcomer nothing; CI holds the floors.
COVERAGE = bool(os.environ.get("CI") or os.environ.get("COVERAGE"))
MEASURED = REPOSITORY / ".coverage.json"

#: A file system in memory, where there is one with room for what all tests write at a time.
MEMORY = Path("/dev/shm")
ROOM = 8 << 30


@contextmanager
def fast_files() -> Iterator[None]:
    """Let the tests write into memory, where possible: thousands of small databases wait long for a disk."""
    if not os.access(MEMORY, os.W_OK) or shutil.disk_usage(MEMORY).free < ROOM:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="pw-", dir=MEMORY, ignore_cleanup_errors=True) as folder:
        # PostgreSQL does not run as root: whoever it runs as must get to its own folder in there.
        Path(folder).chmod(0o711)
        os.environ["TMPDIR"] = folder
        yield


def start(
    half: Sequence[str],
    options: Sequence[str],
    results: Path,
    output: IO[str] | None = None,
    measure: bool = False,
) -> subprocess.Popen[str]:
    """Start pytest on one half of the tests; its lines go to `output`, or where ours go, its results to a file."""
    slowest = ["--durations=20"] if os.environ.get("CI") else []
    measuring = ["-m", "slipcover", "--out", str(MEASURED)] if measure else []
    return subprocess.Popen(
        [sys.executable, *measuring, "-m", "pytest", *half, *HANGS, *slowest, f"--junitxml={results}", *options],
        cwd=REPOSITORY,
        stdout=output,
        stderr=subprocess.STDOUT if output else None,
        text=True,
    )


def parts(options: Sequence[str]) -> tuple[list[str] | None, list[str] | None]:
    """The options for the tests of servers and for the others; None for a half of which no path is named."""
    paths = [each for each in options if each.startswith(("tests", "simulator"))]
    rest = [each for each in options if each not in paths]
    live = [each for each in paths if (REPOSITORY / each).is_relative_to(REPOSITORY / SERVERS)]
    others = [each for each in paths if each not in live]
    return [*live, *rest] if live or not paths else None, [*others, *rest] if others or not paths else None


def failures(results: Path) -> Iterator[str]:
    """Name the tests that failed, of a file of results in JUnit's form; none where pytest wrote no such file."""
    if not results.is_file():
        return
    for test in ET.parse(results).iter("testcase"):
        if any(part.tag in ("failure", "error") for part in test):
            yield f"{test.get('classname')}::{test.get('name')}"


def main(options: Sequence[str]) -> int:
    """Status: 0 where all passed and coverage is high enough."""
    with tempfile.TemporaryDirectory(prefix="results-") as folder:
        files = [Path(folder, "live.xml"), Path(folder, "others.xml")]
        status = run_halves(options, *files)
        # Last, for who sees only the end of what was printed.
        for name in (name for results in files for name in failures(results)):
            print(f"failed: {name}", flush=True)
    return status


def run_halves(options: Sequence[str], live_results: Path, other_results: Path) -> int:
    """Run both halves of the tests, then check the coverage; the status as of `main`."""
    for_live, for_others = parts(options)
    statuses = []
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        live = None if for_live is None else start(LIVE, for_live, live_results, output)
        try:
            if for_others is not None:
                if live is not None:
                    os.nice(PATIENCE)
                    print(f"{SERVERS} runs beside these; its lines follow at the end", flush=True)
                statuses.append(start(OTHERS, for_others, other_results, measure=COVERAGE).wait())
        finally:
            if live is not None:
                statuses.append(live.wait())
                output.seek(0)
                print(output.read(), flush=True)
    if any(status not in (0, NOTHING_SELECTED) for status in statuses):
        return 1
    if set(statuses) == {NOTHING_SELECTED}:
        print("no test fits these options", file=sys.stderr)
        return NOTHING_SELECTED
    return (
        subprocess.call([sys.executable, "scripts/check_coverage.py", str(MEASURED)], cwd=REPOSITORY)
        if COVERAGE
        else 0
    )


if __name__ == "__main__":
    try:
        with fast_files():
            sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
