"""Types of an export: its format, its input and its report."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.campaign.pseudonyms import Names
    from annotator.consensus.gold_rule import GoldTally
    from annotator.gold.records import Exported
    from annotator.store.store import Store
    from panelwise.domain import GoldSource


class Kind(Enum):
    """The type of an option's value."""

    TEXT = "text"
    CHOICE = "choice"
    FOLDER = "folder to read"
    NEW_FOLDER = "folder to write"
    NEW_FILE = "file to write"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Option:
    """An option of one format. flag: `--name`. choices: the default first."""

    flag: str
    help: str
    kind: Kind = Kind.TEXT
    choices: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the key of the value in `Job.options`."""
        return self.flag.removeprefix("--").replace("-", "_")


class Shared(Enum):
    """Options of several formats."""

    NAMES = "names"
    INCLUDE = "include"


PHASE = Option("--phase", "Only this phase.")
ANNOTATOR = Option("--annotator", "Only this annotator.")
NULL_REFERENCES = Option(
    "--null-references", "Write missing references as null, as MedICaT does, not as an empty list.", Kind.FLAG
)


class Watch(Protocol):
    """Wraps records in a progress bar with a label."""

    def __call__(self, records: Iterable[Any], label: str, /) -> Iterator[Any]:
        """Yield the records."""


@dataclass(frozen=True, slots=True)
class Job:
    """One export. out: the file to write. include: sources that count as gold, None for those of campaign.toml.

    report: called with a message for each record that can't be written. options: the format's own, by name.
    """

    home: Home
    store: Store
    out: Path
    names: Names
    include: Collection[GoldSource] | None
    report: Callable[[str], None]
    watch: Watch
    options: Mapping[str, Any]

    def exported(self, layout: str) -> Exported:
        """Return an empty account of this export. layout: the format's name in messages."""
        from annotator.gold.records import Exported
        from panelwise.files import Problems
        from panelwise.formats import Losses

        return Exported(losses=Losses(layout), problems=Problems(report=self.report))


@dataclass(slots=True)
class Outcome:
    """The report of an export.

    lines: for stdout. warnings: for stderr. gold: tally whose left-out figures are named. states: tally of which
    only the states are printed. single: whether to warn about unreviewed figures. failed: whether a record could
    not be written.
    """

    lines: list[str]
    warnings: list[str] = field(default_factory=list)
    gold: GoldTally | None = None
    states: GoldTally | None = None
    single: bool = True
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Export:
    """One format. name: of the subcommand. file: the name of what a lead's job writes.

    options: in the order of the help; `--out` and `--home` are added.
    """

    name: str
    file: str
    example: str
    help: str
    write: Callable[[Job], Outcome]
    options: tuple[Option | Shared, ...] = ()


def outcome_of(exported: Exported, *lines: str) -> Outcome:
    """Return the report, with a note for each kind of data that the file can't represent."""
    notes = [f"note: {line}" for line in (*exported.losses.lines(), *exported.warnings)]
    return Outcome(list(lines), notes, failed=bool(exported.problems.count))
