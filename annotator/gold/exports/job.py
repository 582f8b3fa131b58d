"""What a format of the registry is, what it gets to work with, and what it has to report."""

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
    from panelwise.domain.decision import GoldSource


class Kind(Enum):
    """What an option of a format takes."""

    TEXT = "text"
    CHOICE = "choice"
    FOLDER = "folder to read"
    NEW_FOLDER = "folder to write"
    NEW_FILE = "file to write"


@dataclass(frozen=True, slots=True)
class Option:
    """An option that one format has. flag: `--name`; its value is under `name`. choices: the default first."""

    flag: str
    help: str
    kind: Kind = Kind.TEXT
    choices: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The key of its value in `Job.options`."""
        return self.flag.removeprefix("--").replace("-", "_")


class Shared(Enum):
    """The options that several formats have."""

    NAMES = "names"
    INCLUDE = "include"


PHASE = Option("--phase", "Only this phase's.")
ANNOTATOR = Option("--annotator", "Only this annotator's.")


class Watch(Protocol):
    """Hands on the records as they come, with a progress bar under a label."""

    def __call__(self, records: Iterable[Any], label: str, /) -> Iterator[Any]:
        """The records."""


@dataclass(frozen=True, slots=True)
class Job:
    """One export. out: the file to write. include: the sources that count as gold, None for campaign.toml's.

    report: called with a line for each record that cannot be written. options: the format's own, by name.
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
        """An empty account of what this export makes. layout: as messages name it."""
        from annotator.gold.records import Exported
        from panelwise.files.jsonl import Problems
        from panelwise.formats.losses import Losses

        return Exported(losses=Losses(layout), problems=Problems(report=self.report))


@dataclass(slots=True)
class Outcome:
    """What an export has to report.

    lines: for stdout. warnings: for stderr. gold: the tally whose left-out figures are named, None for none.
    states: whether only the figures' states are counted. single: whether to warn of single work that is written.
    failed: whether something could not be written.
    """

    lines: list[str]
    warnings: list[str] = field(default_factory=list)
    gold: GoldTally | None = None
    states: GoldTally | None = None
    single: bool = True
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Export:
    """One format. name: of its subcommand. example: how it is called. help: what it writes and what it loses.

    options: in the order of the help; `--out` and `--home` all have.
    """

    name: str
    example: str
    help: str
    write: Callable[[Job], Outcome]
    options: tuple[Option | Shared, ...] = ()


def outcome_of(exported: Exported, *lines: str) -> Outcome:
    """The lines, and a note for each thing that the file does not hold."""
    notes = [f"note: {line}" for line in (*exported.losses.lines(), *exported.warnings)]
    return Outcome(list(lines), notes, failed=bool(exported.problems.count))
