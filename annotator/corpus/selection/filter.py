"""Select the figures of a figures.jsonl by keywords, licences and lists of figures to leave out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.corpus.selection.exclusions import Exclusions
from annotator.corpus.selection.figure_lines import FigureLine, figure_lines
from annotator.corpus.selection.keywords import Keywords
from annotator.gold.dataset.licences import may_copy
from panelwise.domain import FormatError
from panelwise.files import Problems, encode_line
from panelwise.runtime import counted, whole_file

if TYPE_CHECKING:
    from annotator.corpus.selection.near_duplicates import NearDuplicates

#: Why a figure is dropped.
EXCLUDED, LICENCE, KEYWORD = "on an exclusion list", "licence not allowed", "no keyword"
DUPLICATE = "image nearly that of an earlier figure"


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a selection. keywords: None for any text. licences: allowed ones, empty for all.

    capitals: keywords in capitals are found in capitals only. duplicates: images of the figures written so far;
    None to leave images alone.
    """

    keywords: Keywords | None = None
    capitals: bool = False
    licences: tuple[str, ...] = ()
    exclusions: Exclusions = field(default_factory=Exclusions)
    duplicates: NearDuplicates | None = None


@dataclass(slots=True)
class Tally:
    """Counts so far, the others of figures that are not excluded and have an allowed licence.

    keywords: figures by keyword. any_case, as_written: figures with a keyword in upper or lower case, and with
    one that has its capitals.
    """

    read: int = 0
    written: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    keywords: Counter[str] = field(default_factory=Counter)
    any_case: int = 0
    as_written: int = 0

    def lines(self) -> Iterator[str]:
        """Yield the report: what remains, what was dropped and why, and figures by keyword."""
        yield f"wrote {self.written} of {counted(self.read, 'figure')}"
        for reason, number in self.dropped.most_common():
            yield f"dropped {number}: {reason}"
        if self.any_case:
            yield (
                f"{counted(self.any_case, 'figure')} with a keyword in upper or lower case, "
                f"{self.as_written} with those in capitals as written"
            )
        for keyword, number in self.keywords.most_common():
            yield f"{number:>8} {keyword}"


def filter_figures(
    figures: Path, out: Path, rules: Rules, problems: Problems, *, dropped: Path | None = None
) -> Iterator[Tally]:
    """Write the figures that the rules allow, unchanged and in order; yields the counts after each figure.

    dropped: file for the others: `figure_id`, `reason`, `detail`. Bad lines are problems; so are images that
    cannot be compared, whose figures are written.
    """
    tally = Tally()
    with ExitStack() as stack:
        file = stack.enter_context(whole_file(out))
        rest = stack.enter_context(whole_file(dropped)) if dropped is not None else None
        for figure in figure_lines(figures, problems):
            tally.read += 1
            reason, detail = _drop(figure, rules, tally)
            if not reason and rules.duplicates is not None:
                reason, detail = _duplicate(figure, rules.duplicates, problems)
            if not reason:
                tally.written += 1
                file.write(encode_line(figure.record))
            else:
                tally.dropped[reason] += 1
                if rest is not None:
                    rest.write(encode_line({"figure_id": figure.figure_id, "reason": reason, "detail": detail}))
            yield tally
    rules.exclusions.report(problems)


def _drop(figure: FigureLine, rules: Rules, tally: Tally) -> tuple[str, str]:
    """Return why a figure is dropped, with a detail; "" if it is not. Counts its keywords."""
    excluded = rules.exclusions.match(figure)
    if excluded:
        return EXCLUDED, excluded
    if rules.licences and not may_copy(figure.licence, rules.licences):
        return LICENCE, figure.licence or "not stated"
    if rules.keywords is not None:
        texts = (figure.caption, *figure.references)
        any_case, as_written = rules.keywords.find(texts), rules.keywords.find_as_written(texts)
        tally.any_case += bool(any_case)
        tally.as_written += bool(as_written)
        found = as_written if rules.capitals else any_case
        tally.keywords.update(found)
        if not found:
            return KEYWORD, ""
    return "", ""


def _duplicate(figure: FigureLine, duplicates: NearDuplicates, problems: Problems) -> tuple[str, str]:
    """Return why a figure is dropped, with the earlier figure; "" if it is not, or has no readable image."""
    try:
        earlier = duplicates.earlier(figure)
    except FormatError as error:
        problems.add(error)
        return "", ""
    return (DUPLICATE, earlier) if earlier else ("", "")
