"""Score the extraction of figures from articles against checked truth.

    python benchmarks/article_quality.py ARTICLES [--half even|odd] [--misses] [--sentences]

ARTICLES holds jats/, s2orc/, truth.jsonl and truth_s2orc.jsonl. The halves are by the parity of the last byte of
the SHA-256 of a file's name: "even" for work on the reader, "odd" for looking whether that generalises. A mention
agrees if it is of the same figure, kind and paragraph, and half of the shorter sentence's words are in the other.
--sentences: in how many citations the rules give the same sentence as pysbd, the segmenter that scispaCy offers
(`pip install pysbd`), and the places where they do not.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from panelwise.files.jsonl import Problems
from panelwise.formats.articles import citations
from panelwise.formats.articles.article import Article, ArticleFigure, figure_records
from panelwise.formats.articles.reading import read_articles
from panelwise.formats.articles.sentences import sentences_at

KINDS = {"xref": "link", "ref_span": "link", "range": "range", "text": "text"}
COUNTED = {"body", "box", "body_text"}


def parity(name: str) -> str:
    return ("even", "odd")[hashlib.sha256(name.encode()).digest()[-1] % 2]


def words(text: str | None) -> list[str]:
    return (text or "").split()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("articles", type=Path)
    arguments.add_argument("--half", choices=["even", "odd"])
    arguments.add_argument("--misses", action="store_true")
    arguments.add_argument("--sentences", action="store_true")
    given = arguments.parse_args()
    if given.sentences:
        compare_sentences(given.articles)
        return
    for name in ("truth.jsonl", "truth_s2orc.jsonl"):
        counts: Counter[str] = Counter()
        misses: list[str] = []
        for line in (given.articles / name).read_text(encoding="utf-8").splitlines():
            truth = json.loads(line)
            if given.half in (None, parity(Path(truth["file"]).name)):
                misses += compare(given.articles / truth["file"], truth, counts)
        print(f"{name} ({given.half or 'all'}): {counts['articles']} articles, {counts['figures']} figures")
        print(f"  figures found {share(counts, 'found', 'figures')}, too many {counts['too many']}")
        for what in ("label", "graphics", "caption", "doi", "pmcid", "title", "journal", "year", "licence"):
            of = "articles" if what in ("doi", "pmcid", "title", "journal", "year", "licence") else "figures"
            print(f"  {what} equal {share(counts, what, of)}")
        print(f"  mentions: recall {share(counts, 'matched', 'true mentions')}", end=", ")
        print(f"precision {share(counts, 'matched', 'our mentions')}, panels {share(counts, 'panels', 'matched')}")
        if given.misses:
            print("\n".join(f"    {each}" for each in misses))


def compare_sentences(articles: Path) -> None:
    """Print in how many citations the rules and pysbd give the same sentence, and both where they differ."""
    segmenter = importlib.import_module("pysbd").Segmenter(language="en", clean=False, char_span=True)
    cut_by_rules = sentences_at
    same, different = 0, []

    def cut_by_both(text: str, places: Sequence[int]) -> list[str]:
        nonlocal same
        ours = cut_by_rules(text, places)
        spans = [(each.start, each.end) for each in segmenter.segment(text)] if places else []
        for place, sentence in zip(places, ours, strict=True):
            theirs = next((text[start:end].strip() for start, end in spans if start <= place < end), "")
            same += sentence == theirs
            if sentence != theirs:
                different.append(f"  rules: {sentence}\n  pysbd: {theirs}")
        return ours

    vars(citations)["sentences_at"] = cut_by_both
    for path in sorted(articles.glob("*/*")):
        read_articles(path.read_bytes(), path.name, Problems())
    print("\n\n".join(dict.fromkeys(different)))
    print(f"the same sentence in {same} of {same + len(different)} citations")


def share(counts: Counter[str], part: str, whole: str) -> str:
    return f"{counts[part]}/{counts[whole]} ({100 * counts[part] / max(counts[whole], 1):.2f} %)"


def compare(path: Path, truth: dict[str, Any], counts: Counter[str]) -> Iterator[str]:
    counts["articles"] += 1
    (article,) = read_articles(path.read_bytes(), path.name, Problems(print))
    list(figure_records(article, path.stem))
    name = truth["article_id"]
    for key in ("doi", "pmcid", "title", "journal", "year", "licence"):
        same = words(str(truth[key] or "")) == words(str(getattr(article, key) or ""))
        counts[key] += same
        if not same:
            yield f"{name} {key}: {truth[key]!r} is read as {getattr(article, key)!r}"
    wanted = true_figures(truth)
    counts["figures"] += len(wanted)
    counts["too many"] += max(0, len(article.figures) - len(wanted))
    if len(wanted) != len(article.figures):
        yield f"{name}: {len(wanted)} figures, {len(article.figures)} read"
    for each, ours in zip(wanted, article.figures, strict=False):
        yield from compare_figure(name, each, ours, article, counts)


def true_figures(truth: dict[str, Any]) -> list[dict[str, Any]]:
    """The figures of the article proper; language versions as one, with the graphics of all."""
    found: dict[Any, dict[str, Any]] = {}
    for each in truth["figures"]:
        if str(each.get("place", "")).startswith("sub-article"):
            continue
        versions = each.get("language_versions_of_group")
        key = ("group", versions) if versions is not None else ("n", each.get("n", each.get("ref_id")))
        if key in found:
            found[key]["graphics"] += each["graphics"]
        else:
            found[key] = each
    return list(found.values())


def compare_figure(
    name: str, truth: dict[str, Any], ours: ArticleFigure, article: Article, counts: Counter[str]
) -> Iterator[str]:
    fig_id = truth.get("fig_id", truth.get("ref_id"))
    name = f"{name} {fig_id}"
    counts["found"] += fig_id == ours.fig_id
    for what, mine in (("label", ours.label), ("caption", ours.caption)):
        same = words(truth[what]) == words(mine)
        counts[what] += same
        if not same:
            yield f"{name} {what}:\n      truth {truth[what]!r}\n      ours  {mine!r}"
    same = truth["graphics"] == list(ours.graphics)
    counts["graphics"] += same
    if not same:
        yield f"{name} graphics: {truth['graphics']} read as {ours.graphics}"
    left = list(ours.mentions)
    counts["our mentions"] += len(left)
    for mention in truth["mentions"]:
        if mention["where"] not in COUNTED:
            continue
        counts["true mentions"] += 1
        match = next((each for each in left if agree(mention, each)), None)
        if match is None:
            yield f"{name} missed {mention['kind']} in {mention['par']}: {mention['excerpt']!r}"
            continue
        left.remove(match)
        counts["matched"] += 1
        same = {each.upper() for each in mention.get("panels") or ()} == set(match.panels)
        counts["panels"] += same
        if not same:
            yield f"{name} panels of {mention['excerpt']!r}: {mention.get('panels')} read as {match.panels}"
    for each in left:
        yield f"{name} too much: {each.kind} in {each.paragraph}: {each.sentence[:150]!r}"


def agree(truth: dict[str, Any], ours: Any) -> bool:
    one, other = set(words(truth["sentence"])), set(words(ours.sentence))
    near = 2 * len(one & other) >= min(len(one), len(other))
    place = truth["par"] if truth["where"] != "box" else None
    return KINDS[truth["kind"]] == ours.kind and place == ours.paragraph and near


if __name__ == "__main__":
    main()
