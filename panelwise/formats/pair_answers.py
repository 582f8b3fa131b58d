"""Answers to question-answer pairs in files of their own: in SciVQA's pairs, or in a table of ids and answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.caption import Caption
from panelwise.domain.errors import FormatError
from panelwise.domain.figure import Figure
from panelwise.domain.items import HumanAnswer, Items, QAItem
from panelwise.files.json_arrays import read_records
from panelwise.files.jsonl import Fields, Problems
from panelwise.files.tables import read_table
from panelwise.files.values import is_missing
from panelwise.formats.annotations import UNKNOWN_TIME
from panelwise.formats.scivqa import PAIRS, read_pair

#: The phase that these answers are of, and whose they are where the file does not say.
PHASE, ANNOTATOR = "human-eval", "human"
#: A pair's key for a person's answer to it.
ANSWER = "human_prediction"
#: Columns of a table: of the id, and of the answer, the first there is.
ID_COLUMN, ANSWER_COLUMNS = "instance_id", ("answer_pred", "human_prediction", "prediction", "answer")
#: (figure, pair's id) -> the pair.
PairsByKey = dict[tuple[str, str], QAItem]
_LOOKED_AT = 8


def is_pair_file(path: Path) -> bool:
    """Return True if one of a JSON file's first records is a pair (the very first may be invalid)."""
    first = islice(read_records(path, Problems()), _LOOKED_AT)
    return any(ID_COLUMN in line.record and "qa_pair_type" in line.record for line in first)


def read_pairs_by_key(path: Path, problems: Problems) -> PairsByKey:
    """Return the pairs of a file of pairs, or of figures with `qa`; a broken one is a problem.

    So is another pair under an id that its figure has before; a pair may be listed once a person.
    """
    found: PairsByKey = {}
    for fields in _pair_fields(path, problems):
        try:
            item = read_pair(fields)
            if found.setdefault((fields.text("figure_id"), item.id), item) != item:
                raise fields.error(ID_COLUMN, f'is "{item.id}", as of another pair of this figure; kept the first')
        except FormatError as error:
            problems.add(error)
    if not found and not problems.count:
        problems.add(f"{path}: holds no question-answer pairs; give SciVQA's pairs, or figures with them")
    return found


def articles_of_pairs(path: Path) -> dict[str, str]:
    """Return figure -> its article, of the figures of a file of pairs, or of figures with `qa`, that name one."""
    found = {}
    for line in read_records(path, Problems()):
        source = line.record.get("source")
        document = source.get("document") if isinstance(source, dict) else None
        figure, article = line.record.get("figure_id"), line.record.get("paper_id") or document
        if isinstance(figure, str) and isinstance(article, str) and article:
            found[figure] = article
    return found


def answers_in_pairs(path: Path, problems: Problems) -> Iterator[Annotation]:
    """Yield the answers in a file of pairs, an annotation per figure and `annotator`, without subfigures.

    problems: of answers only; see `read_pairs_by_key`. Raises FormatError if no pair has an answer.
    """
    by_author: dict[str, dict[str, list[HumanAnswer]]] = {}
    answered = False
    for fields in _pair_fields(path, Problems()):
        figure, item = fields.record.get("figure_id"), fields.record.get(ID_COLUMN)
        if ANSWER not in fields.record or not (isinstance(figure, str) and isinstance(item, str)):
            continue
        answered = True
        try:
            answer, author = _answer(fields, item), fields.optional_text("annotator") or ANNOTATOR
            by_author.setdefault(author, {}).setdefault(figure, []).append(answer)
        except FormatError as error:
            problems.add(f"{error}; left this answer out")
    if not answered:
        raise FormatError(f"{path}: holds pairs, but no answers ({ANSWER}); give a file of answers too")
    for author, by_figure in by_author.items():
        yield from _annotations(path, by_figure, author, problems)


def answers_in_table(
    path: Path, pairs: Mapping[tuple[str, str], QAItem], problems: Problems
) -> Iterator[Annotation]:
    """Yield the answers in a table, an annotation per figure, by the annotator that the file is named for.

    pairs: map ids to figures. A row of an unknown pair is a problem. Raises FormatError without the columns.
    """
    figures = {item: figure for figure, item in pairs}
    table = read_table(path, problems)
    id_place, answer_place = table.place(ID_COLUMN), table.place(*ANSWER_COLUMNS)
    if id_place is None or answer_place is None:
        wanted = f"{ID_COLUMN} and {ANSWER_COLUMNS[0]}"
        raise FormatError(f"{path}: has no columns {wanted}; give a table whose first row names them")
    by_figure: dict[str, list[HumanAnswer]] = {}
    for row in table.rows:
        item, text = row.cells[id_place].strip(), row.cells[answer_place]
        if item not in figures:
            problems.add(f'{row.where}: "{item}" is the id of no pair; give its pairs with --pairs')
        else:
            answer = None if is_missing(text) else text
            by_figure.setdefault(figures[item], []).append(HumanAnswer(item, answer))
    yield from _annotations(path, by_figure, path.stem, problems)


def _pair_fields(path: Path, problems: Problems) -> Iterator[Fields]:
    """Yield each pair of a file, whether a record of its own or part of a figure's."""
    for line in read_records(path, problems):
        if ID_COLUMN in line.record:
            yield Fields(line.where, line.record)
            continue
        pairs = line.record.get(PAIRS)
        for position, pair in enumerate(pairs if isinstance(pairs, list) else ()):
            if isinstance(pair, dict):
                record = {"figure_id": line.record.get("figure_id"), **pair}
                yield Fields(line.where, record, f"{PAIRS}[{position}].")


def _answer(fields: Fields, item: str) -> HumanAnswer:
    given = fields.record[ANSWER]
    text = None if given is None else fields.optional_text(ANSWER)
    return HumanAnswer(item, text, fields.optional_text("human_note"))


def _annotations(
    path: Path, by_figure: Mapping[str, list[HumanAnswer]], annotator: str, problems: Problems
) -> Iterator[Annotation]:
    for name, answers in by_figure.items():
        kept = {answer.item: answer for answer in answers}
        if len(kept) < len(answers):
            problems.add(f'{path}: figure "{name}" has two answers to one question; kept the last')
        figure = Figure(name, "", 1, 1, Caption.cut(""))
        items = Items(answers=tuple(kept.values()))
        yield Annotation(figure, annotator, PHASE, Status.ACCEPTED, (), UNKNOWN_TIME, items)
