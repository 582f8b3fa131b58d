"""Extraction of figures and citations from articles against lxml's parsing of the same files alone.

    python benchmarks/bench_extract_articles.py ARTICLES [--rounds 5]

ARTICLES: a folder of JATS files. One process: lxml reads and parses the files, and the extraction reads them, in
turn, by the processor's time; the best round of each counts. lxml has the options of the extraction, and recovers,
as some files need it. All cores: the whole extraction, images, journal and output included, of as many copies as
make 600 and then 3,000 articles, by the clock against lxml in one process, and by the processor's time of all
processes. The promise is a ratio of at least 0.5 on a usual machine. Peak memory is that of the largest worker so
far, and of this process.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from lxml import etree

from annotator.corpus.extract import extract as extract_all
from panelwise.files.jsonl import Problems
from panelwise.formats.articles.article import figure_records
from panelwise.formats.articles.reading import read_articles
from panelwise.runtime.parallel import cores

#: Articles in the extractions on all cores.
ARTICLES = (600, 3000)
PARSER = etree.XMLParser(
    resolve_entities="internal",
    load_dtd=False,
    no_network=True,
    remove_comments=True,
    remove_pis=True,
    recover=True,
)


def seconds(
    work: Callable[[Path], object], files: list[Path], clock: Callable[[], float] = time.process_time
) -> float:
    start = clock()
    for path in files:
        work(path)
    return clock() - start


def parse(path: Path) -> object:
    return etree.parse(str(path), PARSER)


def extract(path: Path) -> object:
    articles = read_articles(path.read_bytes(), path.name, Problems())
    return [list(figure_records(each, "article")) for each in articles]


def processor() -> float:
    """Processor's seconds of this process and its finished children."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in usages)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("articles", type=Path)
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()
    files = sorted(given.articles.rglob("*.xml"))
    parsing, extracting = [], []
    for _ in range(given.rounds):
        parsing.append(seconds(parse, files))
        extracting.append(seconds(extract, files))
    print(f"{len(files)} articles, {sum(each.stat().st_size for each in files) / 1e6:.1f} MB, one process")
    print(f"lxml alone {min(parsing):.3f} s, figures and citations {min(extracting):.3f} s")
    print(f"ratio {min(parsing) / min(extracting):.2f}")
    for number in ARTICLES:
        all_cores(files, -(-number // len(files)))


def all_cores(files: list[Path], copies: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        articles = Path(folder) / "articles"
        articles.mkdir()
        copied = [articles / f"{number}-{each.name}" for number in range(copies) for each in files]
        for place, path in enumerate(copied):
            path.write_bytes(files[place % len(files)].read_bytes())
        parsed, used = seconds(parse, copied, time.perf_counter), seconds(parse, copied)
        start, before = time.perf_counter(), processor()
        for _ in extract_all(articles, Path(folder) / "figures.jsonl", Problems()):
            pass
        extracted, spent = time.perf_counter() - start, processor() - before
    peaks = [resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
    print(f"{len(copied)} articles, {cores()} cores: {extracted:.2f} s, ratio {parsed / extracted:.2f}")
    print(f"processor's time {spent:.2f} s, ratio {used / spent:.2f}")
    print(f"peak memory {peaks[0]:.0f} MB a worker, {peaks[1]:.0f} MB here")


if __name__ == "__main__":
    main()
