"""What the three commands share: lazy groups, one-line errors, exit codes, next steps and progress on stderr.

Exit 0: done. 1: an error told in one line, or something was left out and named. 2: wrong usage.
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
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from queue import SimpleQueue
from types import FrameType
from typing import Any, NoReturn, TextIO, TypeVar, cast

import click
from click.core import ParameterSource

from panelwise.domain.errors import AnnotatorError, one_line

#: What a terminal obeys, and marks that turn the direction of what follows; not ends of lines and tabs.
_STEERING = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)")

T = TypeVar("T")
#: Where click's context notes that the next step was printed.
_NEXT_IS_PRINTED = "panelwise.next_step_printed"
AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])


class LazyGroup(click.Group):
    """A group that imports a subcommand's module when it is asked for, and prints what to do after it.

    lazy: command name -> "module:attribute" of a click.Command. Its own name is that of the program.
    """

    def __init__(self, *args: Any, lazy: dict[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lazy = lazy or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all subcommands, in alphabetical order."""
        return sorted({*super().list_commands(ctx), *self._lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The subcommand, imported now; None if there is no such."""
        if cmd_name not in self._lazy:
            return super().get_command(ctx, cmd_name)
        module, attribute = self._lazy[cmd_name].split(":")
        command = getattr(importlib.import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{self._lazy[cmd_name]} is no click command")
        return _with_next_step(command, f"{self.name} {cmd_name}")


def _with_next_step(command: click.Command, name: str) -> click.Command:
    """A copy of the command that prints its next step once it has ended well; of a group, such copies of all."""
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


def print_next_step(name: str, **known: Any) -> None:
    """Print on stderr what to do after a command, once; those that run until Ctrl-C call this themselves.

    known: what the command learnt, such as the address that it serves at.
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
        # The command has ended well. What is wrong with the campaign stops the next one, which says it.
        return
    if step is not None:
        warn(f"next: {as_typed_here(step)}")


def as_typed_here(command: str) -> str:
    """A command of ours with the folder of this program before it, where the shell would not find it otherwise."""
    name = command.split(maxsplit=1)[0]
    folder = Path(sys.argv[0]).parent
    if shutil.which(name) is None and (folder / name).is_file():
        return shlex.quote(str(folder / name)) + command[len(name) :]
    return command


def stop_requests() -> Callable[[], object]:
    """Take SIGINT and SIGTERM as requests to stop from now on; returns what waits for one.

    A handler runs in the thread that waits. A SimpleQueue may be put into from there at any moment; an Event may
    not: where it is just being waited for, its lock is held, and the program would never stop.
    """
    requests: SimpleQueue[int] = SimpleQueue()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, _frame: requests.put(received))
    return requests.get


def run(command: click.Command) -> NoReturn:
    """Run `command` on the process's arguments and exit; the one place where errors become exit codes."""
    signal.signal(signal.SIGTERM, _stop)
    collect_rarely()
    try:
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
        _tell(error.format_message())
    except BrokenPipeError:
        # The reader of our output went away (`| head`): nothing is wrong, and there is nobody to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except AnnotatorError as error:
        _tell(str(error))
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        _tell(f"{name}{error.strerror or error}")
    sys.exit(result if isinstance(result, int) else 0)


def collect_rarely() -> None:
    """Look for garbage in cycles less often than Python does by itself, for the rest of the process.

    Commands stream records, which hold no cycles and go as soon as nobody needs them; a fifth of the time of an
    export went into looking them through.
    """
    gc.set_threshold(20_000, 20, 20)


def printable(text: str) -> str:
    r"""The text with what would steer a terminal, or turn the line around, written as `\u001b`.

    Names, captions and file names come from others. The form is JSON's, so that JSON stays the same value.
    """
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class _Printable:
    """A text stream to which only printable text gets; see `printable`. Bytes go past it to `buffer`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(printable(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def _printable_stdout() -> Iterator[None]:
    """Let nothing that a command prints steer the terminal, whichever command it is."""
    before = sys.stdout
    # A process may be started without a standard output (`>&-`).
    if before is not None:
        sys.stdout = cast("TextIO", _Printable(before))
    try:
        yield
    finally:
        sys.stdout = before


def _stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    """SIGTERM unwinds like Ctrl-C, so that whatever was started is shut down."""
    raise KeyboardInterrupt


def _tell(message: str) -> NoReturn:
    click.echo(f"error: {one_line(message)}", err=True)
    sys.exit(1)


def warn(text: str) -> None:
    """One line on stderr."""
    click.echo(printable(text), err=True)


def home_option(function: AnyFunction) -> AnyFunction:
    """`--home DIR`: the campaign's home; else PANELWISE_HOME, else the current directory."""
    return click.option(
        "--home",
        type=click.Path(file_okay=False, path_type=Path),
        envvar="PANELWISE_HOME",
        default=None,
        help="The campaign's home [default: PANELWISE_HOME, else the current directory].",
    )(function)


class OutPath(click.Path):
    """A file, or a folder, to write: a name of one, neither "-" nor empty; a pathlib.Path."""

    def __init__(self, *, folder: bool = False) -> None:
        super().__init__(file_okay=not folder, dir_okay=folder, path_type=Path)
        self._what = "folder" if folder else "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path. Fails with wrong usage."""
        name = os.fsdecode(value)
        if name == "-":
            self.fail(f"standard output is not written to; name a {self._what}", param, ctx)
        if not name.strip():
            self.fail(f"is empty; name a {self._what}", param, ctx)
        if self._what == "file" and name.endswith(os.sep):
            self.fail(f"{name} names a folder; name a file in it", param, ctx)
        return super().convert(value, param, ctx)


def refuse_input(out: Path | None, *inputs: Path) -> None:
    """Refuse to write over what the command reads, by whatever name. Raises AnnotatorError, one line."""
    for each in inputs:
        if out is not None and os.path.realpath(out) == os.path.realpath(each):
            raise AnnotatorError(f"{out}: is read by this command; name another file for --out")


def typed(*names: str) -> list[str]:
    """Those of the current command's parameters that the user typed, as options: ["--sheet-boxes"].

    names: of its parameters, where each option is called as its parameter is.
    """
    context = click.get_current_context()
    found = (name for name in names if _is_typed(context, name))
    return [f"--{name.replace('_', '-')}" for name in found]


def _is_typed(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def progress(items: Iterable[T], label: str, *, total: int | None = None, unit: str = "") -> Iterator[T]:
    """Yield from `items` with a progress bar on stderr; nothing is drawn where stderr is no terminal.

    unit: what they are ("figures"), to tell how many a second are done.
    """
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
