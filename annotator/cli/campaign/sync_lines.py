"""Format one line for each project, for push, pull and sync."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TextIO

from annotator.cli.commandline import printable
from panelwise.runtime import counted

if TYPE_CHECKING:
    from annotator.sync.pull_tasks import PulledProject
    from annotator.sync.push_tasks import Pushed
    from annotator.sync.watch import Round


def pushed_line(step: Pushed) -> str:
    """Describe a push of one annotator's tasks in a phase."""
    more = [
        f", {step.revised} of revised figures" if step.revised else "",
        f", {step.done} already done" if step.done else "",
        f", {step.withdrawn} withdrawn" if step.withdrawn else "",
    ]
    return (
        f"{step.annotator}, phase {step.phase}: {counted(step.added, 'task')} added, "
        f"{step.unchanged} unchanged, {step.seeded} pre-labelled{''.join(more)}: {step.url}"
    )


def pulled_line(step: PulledProject) -> str:
    """Describe a pull of one annotator's project in a phase."""
    begun = f" ({step.started} started)" if step.started else ""
    return (
        f"{step.annotator}, phase {step.phase}: {counted(step.added, 'annotation')} added, "
        f"{step.unchanged} unchanged, {step.open} open{begun}"
    )


class Watched:
    """Show the progress of `sync --watch`: on a terminal, a status line with the news above it.

    In a file or journal, only the news is written. Each note or error is shown once, and again only if it was
    absent from a poll in between.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._terminal = stream.isatty()
        self._told: set[str] = set()
        self._failed = ""
        self._stood = ""

    def show(self, found: Round, now: datetime) -> None:
        """Show the result of a poll that ended at `now`."""
        at = now.strftime("%H:%M:%S")
        if found.failed:
            if found.failed != self._failed:
                self._line(f"{at}  {found.failed}; trying again")
            self._failed = found.failed
            self._over(f"{at}  failed; next poll in {found.wait:.0f} s")
            return
        if self._failed:
            self._line(f"{at}  reconnected")
        self._failed = ""
        lines = [*(f"note: {line}" for line in found.findings), *found.problems]
        for line in dict.fromkeys(lines):
            if line not in self._told:
                self._line(line)
        # A poll of some projects finds no errors in the others.
        self._told = set(lines) if found.pushed or len(found.pulled) > 1 else self._told | set(lines)
        for pulled in found.pulled:
            if pulled.added:
                self._line(f"{at}  pulled  {pulled_line(pulled)}")
        for pushed in found.pushed:
            if pushed.added or pushed.seeded or pushed.withdrawn:
                self._line(f"{at}  pushed  {pushed_line(pushed)}")
        waiting = sum(step.open for step in found.pulled)
        begun = sum(step.started for step in found.pulled)
        stands = f"in sync: {waiting} open" + (f" ({begun} started)" if begun else "")
        if not self._terminal and stands != self._stood and found.pushed:
            self._line(f"{at}  {stands}")
        self._stood = stands
        self._over(f"{at}  {stands}; next poll in {found.wait:.0f} s")

    def end(self) -> None:
        """End the status line."""
        if self._terminal:
            self._stream.write("\n")
            self._stream.flush()

    def _line(self, text: str) -> None:
        clear = "\r\x1b[K" if self._terminal else ""
        self._stream.write(f"{clear}{printable(text)}\n")
        self._stream.flush()

    def _over(self, text: str) -> None:
        if self._terminal:
            self._stream.write(f"\r\x1b[K{printable(text)}")
            self._stream.flush()
