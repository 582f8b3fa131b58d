"""A whole `agreement report` on 2,069 figures by three annotators, against the plain loop's IAA alone.

The report has 10,000 resamples and is HTML, from the command line, Python's start and all; the loop has its data
in memory and makes the point estimate, nothing else. The promise: no more than six times the loop. A loop that
resampled too would take the loop's time ten thousand times over.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import corpora
from agreement_reference import figure_f1s

from panelwise.domain.annotation import Annotation, Status

FIGURES, RUNS = 2069, 5
PROMISED = 6.0
#: Panels of an accepted figure, and the caption's words.
Side = tuple[list[tuple[list[float], list[int]]], tuple[str, ...]]


def sides(annotations: list[Annotation]) -> dict[tuple[str, str], Side]:
    """The accepted work as plain values, by annotator and figure."""
    return {
        (each.annotator, each.figure.id): (
            [(part.box.as_list(), sorted(part.subcaption)) for part in each.subfigures],
            each.figure.caption.words,
        )
        for each in annotations
        if each.status is Status.ACCEPTED
    }


def plain(work: dict[tuple[str, str], Side]) -> float:
    """IAA by the loop."""
    figures = sorted({figure for _, figure in work})
    means = []
    for gold in corpora.ANNOTATORS:
        for other in corpora.ANNOTATORS:
            scores: list[float] = []
            for figure in figures if gold != other else ():
                mine, yours = work.get((gold, figure)), work.get((other, figure))
                if mine is not None and yours is not None:
                    scores += [f1 for f1 in figure_f1s(mine[0], yours[0], mine[1]) if f1 is not None]
            if gold != other:
                means.append(sum(scores) / len(scores))
    return sum(means) / len(means)


def of_children() -> float:
    """Seconds of the processor that child processes have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    command = [sys.executable, "-c", "from annotator.cli.agreement.main import main; main()", "report"]
    work = sides(list(corpora.annotated(FIGURES)))
    loop: list[tuple[float, float]] = []
    report: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        file, page = Path(folder) / "annotations.jsonl", Path(folder) / "report.html"
        corpora.write(file, FIGURES)
        for _ in range(RUNS):
            began, used = time.perf_counter(), time.process_time()
            iaa = plain(work)
            loop.append((time.perf_counter() - began, time.process_time() - used))
            began, used = time.perf_counter(), of_children()
            subprocess.run([*command, str(file), "--format", "html", "--out", str(page)], check=True)
            report.append((time.perf_counter() - began, of_children() - used))
        size = page.stat().st_size
        text = subprocess.run([*command, str(file)], check=True, capture_output=True, text=True).stdout
    assert f"{iaa:.6f}" in text, f"the report does not say {iaa}"
    print(f"{FIGURES} figures, 3 annotators, 6 ordered pairs, {RUNS} runs in turn (median, range)")
    medians = []
    for place, what in enumerate(("by the clock", "processor's time")):
        fast, slow = [each[place] for each in loop], [each[place] for each in report]
        ratios = [one / other for one, other in zip(slow, fast, strict=True)]
        print(what)
        for name, values in (("plain loop, IAA alone", fast), ("agreement report", slow), ("ratio", ratios)):
            print(f"  {name:22} {statistics.median(values):.2f}  ({min(values):.2f} to {max(values):.2f})")
        medians.append(statistics.median(ratios))
    print(f"the page: {size / 1e6:.2f} MB; 10,000 resamples by the loop: {10_000 * min(loop)[0]:.0f} s")
    if max(medians) > PROMISED:
        sys.exit(f"slower than promised: more than {PROMISED:g} times the loop")


if __name__ == "__main__":
    main()
