"""Answers to question-answer pairs in files of their own: in SciVQA's pairs, or in a table of ids and answers."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from itertools import islice
from pathlib import Path

from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.caption import Caption
from panelwise.domain.errors import FormatError
from panelwise.domain.figure import Figure
from panelwise.domain.items import HumanAnswer, Items, QAItem
from panelwise.files.json_arrays import read_records
from panelwise.files.jsonl import Fields, Problems
from panelwise.files.other_layouts import check_columns
from panelwise.files.seen_ids import Seen
from panelwise.files.tables import read_table
from panelwise.files.values import first_name, is_missing, whole_id
from panelwise.formats.annotations import UNKNOWN_TIME
from panelwise.formats.authors import OF_WORK, author_of
from panelwise.formats.scivqa import PAIRS, read_pair
from panelwise.runtime.messages import counted

#: The phase that these answers are of, and whose they are where the file does not say.
PHASE, ANNOTATOR = "human-eval", "human"
#: A pair's key for a person's answer to it.
ANSWER = "human_prediction"
#: Columns of a table: of the id, and of the answer, the first there is.
ID_COLUMN, ANSWER_COLUMNS = "instance_id", ("answer_pred", "human_prediction", "prediction", "answer")
#: Those that hold nothing but a prediction; `answer` beside one of them is the gold answer, as in SciVQA's pairs.
_PREDICTED = ANSWER_COLUMNS[:-1]
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
        figure, article = line.record.get("figure_id"), first_name(line.record.get("paper_id"), document)
        if isinstance(figure, str) and article:
            found[figure] = article
    return found


def answers_in_pairs(path: Path, problems: Problems) -> Iterator[Annotation]:
    """Yield the answers in a file of pairs, an annotation per figure and `annotator`, without subfigures.

    In a file that names annotators, an answer without one is a problem. Null is "I don't know", but not where
    every answer is null, as libraries fill a missing column. problems: of answers only; see `read_pairs_by_key`.
    Raises FormatError if no pair has an answer.
    """
    answers, named, answered = _Answers(problems), False, False
    for fields in _pair_fields(path, Problems()):
        named = named or (ANSWER in fields.record and bool(author_of(fields.record)))
        answered = answered or fields.record.get(ANSWER) is not None
    if not answered:
        raise FormatError(f"{path}: holds pairs, but no answers ({ANSWER}); give a file of answers too")
    for fields in _pair_fields(path, Problems()):
        figure, item = fields.record.get("figure_id"), fields.record.get(ID_COLUMN)
        if ANSWER not in fields.record or not (isinstance(figure, str) and isinstance(item, str)):
            continue
        try:
            author = author_of(fields.record)
            if named and not author:
                raise fields.error("annotator", "is missing, and other answers of this file have one; name it")
            answers.add(fields.where, figure, author or ANNOTATOR, _answer(fields, item))
        except FormatError as error:
            problems.add(f"{error}; left this answer out")
    yield from answers.annotations()


def check_table(path: Path) -> None:
    """Raise FormatError for a table of another tool that holds no answers."""
    check_columns(path, read_table(path, Problems()).columns)


def answers_in_table(
    path: Path, pairs: Mapping[tuple[str, str], QAItem], problems: Problems
) -> Iterator[Annotation]:
    """Yield the answers in a table, an annotation per figure and annotator: of a column, else the file's name.

    pairs: map ids to figures. A row of an unknown pair is a problem, as is one whose pair several figures have,
    without a column `figure_id`, and one without an annotator where a column names them (one problem for all rows
    if it names none). Raises FormatError without the columns, and for two columns of predictions.
    """
    figures: dict[str, list[str]] = {}
    for figure, pair in pairs:
        figures.setdefault(pair, []).append(figure)
    table = read_table(path, problems)
    several = [f'"{table.columns[place]}"' for place in table.named(*_PREDICTED)]
    if len(several) > 1:
        raise FormatError(f"{table.where}: columns {' and '.join(several)} may each be the answer; leave one")
    id_place, answer_place = table.place(ID_COLUMN), table.choose(problems, "answer", *ANSWER_COLUMNS)
    if id_place is None or answer_place is None:
        wanted = f"{ID_COLUMN} and {ANSWER_COLUMNS[0]}"
        raise FormatError(f"{path}: has no columns {wanted}; give a table whose first row names them")
    ids = {pair for _, pair in pairs}
    known = {figure for figure, _ in pairs}
    figure_place, author_place = table.place("figure_id"), table.choose(problems, "annotator", *OF_WORK)
    answers, blank, count = _Answers(problems), [], 0
    for row in table.rows:
        count += 1
        item, text = _id_among(ids, row.cells[id_place]), row.cells[answer_place]
        own = figures.get(item, [])
        if figure_place is not None:
            named = _id_among(known, row.cells[figure_place])
            own = [figure for figure in own if figure == named]
        author = path.stem if author_place is None else row.cells[author_place].strip()
        if author_place is not None and is_missing(author):
            blank.append(row.where)
        elif len(own) == 1:
            answers.add(row.where, own[0], author, HumanAnswer(item, None if is_missing(text) else text))
        elif own:
            problems.add(
                f'{row.where}: "{item}" is the id of a pair of {counted(len(own), "figure")} '
                f"({', '.join(own[:5])}); add a column figure_id"
            )
        else:
            problems.add(f'{row.where}: "{item}" is the id of no pair; give its pairs with --pairs')
    remedy = "name one, or remove the column"
    if author_place is not None and len(blank) == count > 1:
        column = table.columns[author_place]
        problems.add(f'{path}: no annotator in any of {count} rows of column "{column}"; {remedy}')
        blank = []
    for where in blank:
        problems.add(f"{where}: no annotator in the column of annotators; {remedy}")
    yield from answers.annotations()


def _id_among(known: Container[str], cell: str) -> str:
    """Return the id in a cell, which libraries may have written as a float ("1.0") where it is a number ("1")."""
    written = cell.strip()
    whole = whole_id(written)
    return whole if written not in known and whole in known else written


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


class _Answers:
    """The answers of a file by author and figure. A second one to a pair by one author is a problem."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._seen = Seen()
        self._by_author: dict[str, dict[str, list[HumanAnswer]]] = {}

    def add(self, where: str, figure: str, author: str, answer: HumanAnswer) -> None:
        """Add one answer. where: its place."""
        earlier = self._seen.earlier("\0".join((figure, author, answer.item)), where)
        if earlier is None:
            self._by_author.setdefault(author, {}).setdefault(figure, []).append(answer)
        else:
            self._problems.add(
                f'{where}: "{answer.item}" of figure "{figure}" is answered by "{author}" before ({earlier}); '
                "kept the first"
            )

    def annotations(self) -> Iterator[Annotation]:
        """Yield an annotation per author and figure."""
        for author, by_figure in self._by_author.items():
            for name, answers in by_figure.items():
                figure = Figure(name, "", 1, 1, Caption.cut(""))
                items = Items(answers=tuple(answers))
                yield Annotation(figure, author, PHASE, Status.ACCEPTED, (), UNKNOWN_TIME, items)
