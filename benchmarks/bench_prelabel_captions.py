"""Reading captions: `parse_caption` against one pass of the plainest regular expression, "(a)", over the same.

The promise: at least 3,000 captions a second a core, and time linear in the length of a caption. Times are those
of the processor, so that a busy machine shows less; the ratio to the plain pass, which cuts the tokens too, does
not hang on the machine. Captions are those of simulated figures, or real ones:
`bench_prelabel_captions.py captions.jsonl`.
"""

from __future__ import annotations

import re
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from panelwise.domain.caption import Caption
from panelwise.files.jsonl import Fields, Problems, read_lines
from panelwise.formats.captions import read_caption
from panelwise_simulator.figures import simulated_figures
from prelabel.captions.parser import parse_caption

CAPTIONS, TIMES, RUNS = 3000, 40, 5
#: Captions a second a core; and how often the time of a caption may grow where its length doubles.
PROMISED, GROWTH = 3000.0, 3.0
PLAIN = re.compile(r"\(([A-Za-z])\)")


def simulated() -> list[str]:
    """Captions of all difficulties, each several times."""
    drawn = [figure.caption for figure in simulated_figures(CAPTIONS // TIMES)]
    return drawn * TIMES


def real(path: Path) -> list[str]:
    """The captions of a file."""
    return [read_caption(Fields(line.where, line.record)).text for line in read_lines(path, Problems())]


def plain(text: str) -> tuple[int, list[str]]:
    """Find panels by a simple baseline: tokens, and a regular expression."""
    return len(Caption.cut(text).words), PLAIN.findall(text)


def timed(work: Callable[[str], object], texts: Sequence[str]) -> float:
    began = time.process_time()
    for text in texts:
        work(text)
    return time.process_time() - began


def main() -> None:
    texts = real(Path(sys.argv[1])) if len(sys.argv) > 1 else simulated()
    timed(parse_caption, texts[:200])
    parsing, passing = [], []
    for _ in range(RUNS):
        parsing.append(timed(parse_caption, texts))
        passing.append(timed(plain, texts))
    rates = sorted(len(texts) / seconds for seconds in parsing)
    ratios = sorted(parse / simple for parse, simple in zip(parsing, passing, strict=True))
    print(
        f"{len(texts)} captions, {statistics.median(map(len, texts)):.0f} characters (median), one process, "
        f"{RUNS} runs (median, range; time of the processor)"
    )
    print(f"  parsed              {statistics.median(parsing):.2f} s  ({min(parsing):.2f} to {max(parsing):.2f})")
    print(f"  plain pass          {statistics.median(passing):.2f} s  ({min(passing):.2f} to {max(passing):.2f})")
    print(f"  ratio               {statistics.median(ratios):.1f}  ({ratios[0]:.1f} to {ratios[-1]:.1f})")
    print(f"  captions a second   {statistics.median(rates):.0f}  ({rates[0]:.0f} to {rates[-1]:.0f})")
    long = " ".join(texts[:40])
    once, twice = (min(timed(parse_caption, [long * times]) for _ in range(RUNS)) for times in (1, 2))
    print(
        f"  twice the length    {twice / once:.2f} times the time ({len(long)} characters, then {2 * len(long)})"
    )
    if statistics.median(rates) < PROMISED:
        sys.exit(f"slower than promised: fewer than {PROMISED:g} captions a second a core")
    if twice / once > GROWTH:
        sys.exit(f"not linear: twice the length takes {twice / once:.1f} times the time")


if __name__ == "__main__":
    main()
