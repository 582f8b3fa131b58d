"""Systems that answer questions, compared from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agreement.questions import Similarity, SystemComparison, compare_answers
from annotator.measurement.items import AnswerSources
from panelwise.domain import AnnotatorError
from panelwise.files import Problems
from panelwise.formats import articles_of_pairs


def compare_answer_files(
    gold: Path,
    systems: Sequence[Path],
    problems: Problems,
    *,
    resamples: int,
    seed: int = 0,
    similarity: Similarity | None = None,
) -> SystemComparison:
    """Compare systems' answers to the questions of `gold`, a file of pairs.

    systems: tables with `instance_id` and `answer_pred`, as the shared task has them, or files of pairs with
    `human_prediction`; each is named for its file. similarity: for BERTScore. Raises AnnotatorError if a source
    cannot be read or the gold has no pairs.
    """
    for path in systems:
        if not path.is_file():
            raise AnnotatorError(f"{path}: no such file; give a table of answers or a file of pairs")
    names = [path.stem for path in systems]
    found: dict[str, dict[tuple[str, str], str | None]] = {}
    for path, name in zip(systems, names, strict=True):
        sources = AnswerSources([path], [gold], problems, reported=bool(found))
        if sources.others:
            raise AnnotatorError(
                f"{path}: holds no answers; give a table with instance_id and answer_pred, or pairs with "
                "human_prediction"
            )
        key = name if names.count(name) == 1 else str(path)
        found[key] = {
            (each.figure.id, own.item): own.answer for each in sources.work() for own in each.items.answers
        }
    pairs = AnswerSources([], [gold], Problems()).pairs
    if not pairs:
        raise AnnotatorError(f"{gold}: holds no question-answer pairs")
    return compare_answers(
        *(pairs, found), resamples=resamples, seed=seed, similarity=similarity, articles=articles_of_pairs(gold)
    )
