"""Reading figures and citations from articles against lxml's parsing of the same files alone.

    python benchmarks/bench_extract_articles.py ARTICLES [--rounds 5]

ARTICLES: a folder of JATS files. Both are timed in one process, in turn, by the processor's time; the best round
of each counts. Then the whole extraction, images and output included, of as many copies as make 600 articles, on
all cores, against lxml in one process, by the clock. The promise is a ratio of at least 0.5 on a usual machine.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from lxml import etree

from annotator.corpus.extract import extract as extract_all
from panelwise.files.jsonl import Problems
from panelwise.formats.articles.article import figure_records
from panelwise.formats.articles.reading import read_articles
from panelwise.runtime.cpu import cores

#: Articles in all of the extraction on all cores.
ARTICLES = 600


def seconds(
    work: Callable[[bytes], object], files: list[bytes], clock: Callable[[], float] = time.process_time
) -> float:
    start = clock()
    for data in files:
        work(data)
    return clock() - start


def parse(data: bytes) -> object:
    return etree.fromstring(data, etree.XMLParser(load_dtd=False, no_network=True, recover=True))


def extract(data: bytes) -> object:
    return [list(figure_records(each, "article")) for each in read_articles(data, "article.xml", Problems())]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("articles", type=Path)
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()
    files = [path.read_bytes() for path in sorted(given.articles.glob("*.xml"))]
    parsing, extracting = [], []
    for _ in range(given.rounds):
        parsing.append(seconds(parse, files))
        extracting.append(seconds(extract, files))
    print(f"{len(files)} articles, {sum(map(len, files)) / 1e6:.1f} MB, one process")
    print(f"lxml alone {min(parsing):.3f} s, figures and citations {min(extracting):.3f} s")
    print(f"ratio {min(parsing) / min(extracting):.2f}")
    copies = -(-ARTICLES // len(files))
    with tempfile.TemporaryDirectory() as folder:
        articles = Path(folder) / "articles"
        articles.mkdir()
        for number in range(copies):
            for each, data in enumerate(files):
                (articles / f"{number}-{each}.xml").write_bytes(data)
        parsed = seconds(parse, files * copies, time.perf_counter)
        start = time.perf_counter()
        for _ in extract_all(articles, Path(folder) / "figures.jsonl", Problems()):
            pass
        extracted = time.perf_counter() - start
    print(f"{copies * len(files)} articles, {cores()} cores: {extracted:.2f} s, ratio {parsed / extracted:.2f}")


if __name__ == "__main__":
    main()
