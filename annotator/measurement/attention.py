"""Count how annotators worked on Panelwise's own screen, in campaigns and in the files that they export."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from agreement.columns import Corpus, attention_on
from annotator.campaign.home import Home
from annotator.measurement.sources import is_home
from panelwise.domain import Attention, WorkKey, by_annotator


def attention_in(sources: Mapping[Path, Corpus]) -> dict[tuple[str, str], Attention]:
    """Return (phase, annotator) -> how they worked; work that an earlier source has counts once.

    sources: with the work in each. A campaign's counts are those of its latest work, whatever work is given.
    """
    work: dict[WorkKey, Attention] = {}
    for source, corpus in sources.items():
        if is_home(source):
            with Home.find(source).open_store() as store, store.read() as tx:
                work = {**dict(tx.statistics.figures_attention()), **work}
        else:
            work = {**_of_latest(corpus), **work}
    return by_annotator(work.items())


def _of_latest(corpus: Corpus) -> dict[WorkKey, Attention]:
    """Return the counts of the latest work of each annotator on each revision of a figure."""
    looked = attention_on(corpus.rows)
    if not looked:
        return {}
    saved_at = corpus.saved_at.tolist()
    current: dict[WorkKey, int] = {}
    columns = (corpus.phase, corpus.annotator, corpus.figure, corpus.revision)
    for place, (phase, annotator, figure, revision) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        key = corpus.phases[phase], corpus.annotators[annotator], corpus.figures[figure], revision
        if key not in current or saved_at[place] > saved_at[current[key]]:
            current[key] = place
    return {key: looked[place] for key, place in current.items() if place in looked}
