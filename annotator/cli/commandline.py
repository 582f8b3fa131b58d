"""Shared by the three commands: lazy groups, one-line errors, exit codes, next steps and progress on stderr.

Exit 0: done. 1: an error, printed in one line, or input that was skipped and named. 2: wrong usage.
Only click is imported here, so that `--help` answers at once.
"""

from __future__ import annotations

import copy
import gc
import importlib
import os
import re
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from queue import SimpleQueue
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn, TextIO, TypeVar, cast

import click
from click.core import ParameterSource

from annotator.cli.process import check_process, describe_os_error
from panelwise.domain import AnnotatorError, one_line, without_secrets
from panelwise.runtime import PROGRESS_LINES, counted, progress_line

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from panelwise.files import Problems
    from panelwise.runtime import SameLines

#: Addresses of this machine, for servers that ask more of any other.
LOOPBACK = ("127.0.0.1", "localhost", "::1")
#: Control characters of terminals and marks that change the text direction; not line ends and tabs.
_STEERING = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)")

T = TypeVar("T")
#: Key in click's context: the next step has been printed.
_NEXT_IS_PRINTED = "panelwise.next_step_printed"
#: Key in click's context: the lines that `warned_lines` returned.
_LINES = "panelwise.warned_lines"


class LazyGroup(click.Group):
    """A group that imports a subcommand's module on first use and prints the next step after it.

    lazy: command name -> "module:attribute" of a click.Command. program: whose commands these are, by default the
    group's own name; their next steps are listed under it.
    """

    def __init__(self, *args: Any, lazy: dict[str, str] | None = None, program: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lazy = lazy or {}
        self._program = program or self.name

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all subcommands, in alphabetical order."""
        return sorted({*super().list_commands(ctx), *self._lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the subcommand; None if it does not exist."""
        if cmd_name not in self._lazy:
            return super().get_command(ctx, cmd_name)
        module, attribute = self._lazy[cmd_name].split(":")
        command = getattr(importlib.import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{self._lazy[cmd_name]} is no click command")
        return _with_next_step(command, f"{self._program} {cmd_name}")


def _with_next_step(command: click.Command, name: str) -> click.Command:
    """Copy the command so that it prints its next step after success; for a group, copy all its commands."""
    made = copy.copy(command)
    if isinstance(made, click.Group):
        made.commands = {each: _with_next_step(below, f"{name} {each}") for each, below in made.commands.items()}
        return made
    work = command.callback
    if work is None:
        raise TypeError(f"{name} does nothing")

    @wraps(work)
    def ending(*args: Any, **options: Any) -> Any:
        result = work(*args, **options)
        if not result:  # an exit status, or none
            print_next_step(name)
        return result

    made.callback = ending
    return made


def program(name: str, about: str, lazy: dict[str, str], *, example: str, next_steps_of: str = "") -> LazyGroup:
    """Return the group of a console script. about: its help. lazy, next_steps_of: see `LazyGroup`."""
    group = LazyGroup(
        name,
        lazy=lazy,
        program=next_steps_of,
        help=about,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        epilog=example,
    )
    version: LazyGroup = click.version_option(package_name="panelwise", prog_name=name)(group)
    return version


def print_next_step(name: str, **known: Any) -> None:
    """Print the next step on stderr, once; commands that run until Ctrl-C call this themselves.

    known: values that the command computed, such as the address it serves at.
    """
    from annotator.cli.next_steps import Ended, next_step

    context = click.get_current_context()
    if context.meta.setdefault(_NEXT_IS_PRINTED, False):
        return
    context.meta[_NEXT_IS_PRINTED] = True
    home = context.params.get("home")
    if not _is_typed(context, "home"):
        home = None
    try:
        given = (each for each in context.params if _is_typed(context, each))
        step = next_step(name, Ended({**context.params, **known}, home, frozenset(given)))
    except AnnotatorError:
        # The command succeeded. The next command will report what is wrong with the campaign.
        return
    if step is not None:
        warn(f"next: {as_typed_here(step)}")


def as_typed_here(command: str) -> str:
    """Prefix a command with this program's folder if the shell would not find it on PATH."""
    name = command.split(maxsplit=1)[0]
    folder = Path(sys.argv[0]).parent
    if shutil.which(name) is None and (folder / name).is_file():
        return shlex.quote(str(folder / name)) + command[len(name) :]
    return command


def stop_requests() -> Callable[..., object]:
    """Treat SIGINT and SIGTERM as requests to stop; returns a function that waits for one.

    With `timeout` it waits for at most this many seconds, then raises queue.Empty.

    The handler runs in the waiting thread, where `SimpleQueue.put` is safe at any moment. `Event.set` is not: the
    wait may hold its lock, and the program would never stop.
    """
    requests: SimpleQueue[int] = SimpleQueue()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, _frame: requests.put(received))
    return requests.get


def run(command: click.Command) -> NoReturn:
    """Run `command` on the process's arguments and exit; the only place where errors become exit codes."""
    signal.signal(signal.SIGTERM, _stop)
    if "PANELWISE_SUPERVISOR_PIPE" in os.environ:
        from panelwise.runtime import end_with_supervisor

        end_with_supervisor()
    collect_rarely()
    try:
        check_process()
        with _printable_stdout():
            result = command.main(standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.UsageError as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        sys.exit(130)
    except click.ClickException as error:
        _fail(error.format_message())
    except BrokenPipeError:
        # The reader of our output closed it (`| head`): no error, and nowhere to print one.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except AnnotatorError as error:
        _fail(str(error))
    except OSError as error:
        _fail(describe_os_error(error))
    sys.exit(result if isinstance(result, int) else 0)


def collect_rarely() -> None:
    """Run the cyclic garbage collector less often than by default, for the rest of the process.

    Commands stream records without reference cycles; the collector took a fifth of an export's time.
    """
    gc.set_threshold(20_000, 20, 20)


def printable(text: str) -> str:
    r"""Escape terminal control characters and direction marks, as in `\u001b`.

    Names, captions and file names are untrusted. The escape is JSON's, so JSON output keeps its value.
    """
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class _Printable:
    """A text stream that writes printable text only; see `printable`. Bytes go to `buffer` unchanged."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(printable(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def _printable_stdout() -> Iterator[None]:
    """Escape terminal control characters in everything that a command prints."""
    before = sys.stdout
    # A process may be started without a standard output (`>&-`).
    if before is not None:
        sys.stdout = cast("TextIO", _Printable(before))
    try:
        yield
    finally:
        sys.stdout = before


def _stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    """Unwind on SIGTERM as on Ctrl-C, so that every started process is shut down."""
    raise KeyboardInterrupt


def _fail(message: str) -> NoReturn:
    # It ends anyway: being stopped meanwhile is no error of its own.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    click.echo(f"error: {one_line(message)}", err=True)
    sys.exit(1)


def warn(text: str) -> None:
    """Print one line on stderr."""
    click.echo(printable(without_secrets(text)), err=True)


def warned_lines() -> SameLines:
    """Return lines for stderr: of those that say the same, the first ones; the others are counted at the end."""
    from panelwise.runtime import SameLines

    lines = SameLines(warn)
    context = click.get_current_context()
    context.call_on_close(lines.finish)
    context.meta.setdefault(_LINES, []).append(lines)
    return lines


def warned_problems() -> Problems:
    """Return problems whose lines are printed as `warned_lines` does."""
    from panelwise.files import Problems

    return Problems(report=warned_lines().add)


def finish(done: str, problems: Problems) -> None:
    """Print the result on stdout; exit 1 if there were errors, which were printed when they occurred."""
    for lines in click.get_current_context().meta.get(_LINES, ()):
        lines.finish()
    click.echo(done + see_above(problems))
    exit_on(problems)


def exit_on(problems: Problems) -> None:
    """Exit 1 if there were errors."""
    if problems.count:
        raise SystemExit(1)


def see_above(problems: Problems) -> str:
    """Return what a result says of errors that were printed when they occurred; "" for none."""
    return f"; see the {counted(problems.count, 'error')} above" if problems.count else ""


def listed_names(text: str) -> tuple[str, ...]:
    """Split comma-separated names."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def campaign_at(folder: Path | None) -> Home:
    """Return the campaign's home in a folder, as `--home` gives it. Raises AnnotatorError if there is none."""
    from annotator.campaign.home import Home

    return Home.find(folder)


def typed(*names: str) -> list[str]:
    """Return the options that the user typed, as typed: ["--sheet-boxes"], or ["--no-sweep"] of two.

    names: parameters of the current command.
    """
    context = click.get_current_context()
    options = {option.name: option for option in context.command.params}
    found = [(options[name], context.params[name]) for name in names if _is_typed(context, name)]
    return [((value is False and option.secondary_opts) or option.opts)[0] for option, value in found]


def refuse_typed(why: str, *names: str) -> None:
    """Raise UsageError for the first of these parameters that the user typed. why: follows the option."""
    if surplus := typed(*names):
        raise click.UsageError(f"{surplus[0]} {why}")


def _is_typed(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def _progress_lines(items: Iterable[T], label: str, total: int | None) -> Iterator[T]:
    """Yield from `items`, and say on stderr at once and about once a second how many are done."""
    done, said = 0, time.monotonic()
    warn(progress_line(label, done, total))
    for item in items:
        yield item
        done += 1
        if time.monotonic() - said >= 1.0:
            said = time.monotonic()
            warn(progress_line(label, done, total))
    warn(progress_line(label, done, total))


def progress(items: Iterable[T], label: str, *, total: int | None = None, unit: str = "") -> Iterator[T]:
    """Yield from `items` with a progress bar on stderr, if stderr is a terminal; a background job gets lines.

    unit: what the items are ("figures"), to show how many are done per second.
    """
    if os.environ.get(PROGRESS_LINES):
        yield from _progress_lines(items, label, total)
        return
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:.1f} {unit}/s" if unit and speed else "")

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        for item in items:
            yield item
            bar.advance(task)


def write_output(text: str, out: Path | None) -> None:
    """Write the text to `out`, or to stdout if that is None."""
    if out is None:
        click.echo(text, nl=False)
        return
    from panelwise.runtime import write_whole

    write_whole(out, text.encode())
