"""The commands that leads start as jobs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from annotator.campaign.home import Home
from annotator.jobs.jobs import Job, start_job
from panelwise.domain.errors import InvalidAnnotation

_ANNOTATOR = "annotator.cli.campaign.main"
_PRELABEL = "annotator.cli.prelabel"
_AGREEMENT = "annotator.cli.agreement.main"


class JobKind(StrEnum):
    """One job of a kind runs at a time."""

    IMPORT = "import"
    PRELABEL = "prelabel"
    EXPORT = "export"
    RELEASE = "release"
    REPORT = "report"
    BACKUP = "backup"


#: What can be exported -> the file's name.
EXPORTS = {
    "gold": "gold.jsonl",
    "annotations": "annotations.jsonl",
    "figures": "figures.jsonl",
    "coco": "coco.json",
    "label-studio": "label-studio.json",
    "qa": "qa.jsonl",
    "types": "types.jsonl",
}


def start_import(home: Home, folder: Path, by: str, *, revise: bool = False) -> Job:
    """Import the figures of a folder; revise: replace captions and images of those that are there."""
    more = ["--revise"] if revise else []
    return start_job(
        home,
        JobKind.IMPORT,
        "Import of figures",
        lambda _files: _command(home, _ANNOTATOR, "import", "figures", str(folder), *more),
        by,
    )


def start_prelabel(home: Home, by: str, *, again: bool = False) -> Job:
    """Pre-label the campaign's figures with the built-in pre-labeller; again: those that it has done, too."""
    more = ["--again"] if again else []
    return start_job(
        home, JobKind.PRELABEL, "Pre-labelling", lambda _files: _command(home, _PRELABEL, "run", *more), by
    )


def start_export(home: Home, what: str, by: str, *, single: bool = False) -> Job:
    """Export to a file of the job. what: of EXPORTS. single: gold that nobody reviewed as well."""
    if what not in EXPORTS:
        raise InvalidAnnotation(f'"{what}" cannot be exported; choose one of {", ".join(EXPORTS)}')
    more = ["--include", "single"] if single and what == "gold" else []
    return start_job(
        home,
        JobKind.EXPORT,
        f"Export: {what}",
        lambda files: _command(home, _ANNOTATOR, "export", what, "--out", str(files / EXPORTS[what]), *more),
        by,
    )


def start_release(home: Home, name: str, by: str, *, note: str = "") -> Job:
    """Freeze the gold of now as a release of that name."""
    if not name.strip() or name.startswith("-"):
        raise InvalidAnnotation("a release needs a name, such as pilot")
    more = ["--note", note] if note.strip() else []
    return start_job(
        home,
        JobKind.RELEASE,
        f'Release "{name}"',
        lambda _files: _command(home, _ANNOTATOR, "release", name, *more),
        by,
    )


def start_report(home: Home, by: str) -> Job:
    """The agreement report as a page."""
    return start_job(
        home,
        JobKind.REPORT,
        "Agreement report",
        lambda files: _command(
            home, _AGREEMENT, "report", "--format", "html", "--out", str(files / "agreement.html")
        ),
        by,
    )


def start_backup(home: Home, by: str) -> Job:
    """A backup of the campaign, without its secret."""
    return start_job(
        home,
        JobKind.BACKUP,
        "Backup",
        lambda files: _command(home, _ANNOTATOR, "backup", str(files / "backup.zip")),
        by,
    )


def _command(home: Home, module: str, *words: str) -> Sequence[str]:
    return [sys.executable, "-c", f"from {module} import main; main()", *words, "--home", str(home.path)]
