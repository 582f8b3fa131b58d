"""An option is declared once, in the signature of its command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import click
import pytest
from click.testing import CliRunner

from annotator.cli.parameters import Argument, Option, OptionGroup, SignatureCommand, SignatureGroup, names_of

Seed = Annotated[int, Option("Random seed.", type=click.IntRange(0), default=0)]


class Drawing(OptionGroup):
    """How to draw."""

    line_width: Annotated[float, Option("Width of lines.", default=1.5)]
    seed: Seed


class FramedDrawing(Drawing):
    """How to draw, in which frame."""

    frame: Annotated[str | None, Option("Colour of the frame.")]


class Everything(OptionGroup):
    """A class of options among the fields of another one."""

    drawing: Drawing
    quiet: Annotated[bool, Option("Print nothing.")]


def run(command: click.Command, *words: str, status: int = 0) -> str:
    """Return what a command printed."""
    done = CliRunner().invoke(command, words)
    assert done.exit_code == status, done.output
    return done.output


def test_one_declaration_makes_flag_help_type_and_default() -> None:
    @click.command(cls=SignatureCommand)
    def command(
        figures: Annotated[int, Option("Figures to draw.", type=click.IntRange(1), default=6)],
        names: Annotated[tuple[str, ...], Option("Only this name (repeatable).", "--name")],
        out: Annotated[Path, Option("Output file.")],
        order: Annotated[Literal["first", "last"], Option("Order.", default="last")],
        scale: Annotated[float | None, Option("Scale.")],
        quiet: Annotated[bool, Option("Print nothing.")],
        colour: Annotated[bool | None, Option("Print colours.", "--colour/--no-colour")],
    ) -> None:
        click.echo(repr((figures, names, out, order, scale, quiet, colour)))

    assert [" ".join(line.split()) for line in run(command, "--help").splitlines()[3:-1]] == [
        "--figures INTEGER RANGE Figures to draw. [default: 6; x>=1]",
        "--name TEXT Only this name (repeatable).",
        "--out PATH Output file. [required]",
        "--order [first|last] Order. [default: last]",
        "--scale FLOAT Scale.",
        "--quiet Print nothing.",
        "--colour / --no-colour Print colours.",
    ]
    assert run(command, "--out", "a").strip() == repr((6, (), Path("a"), "last", None, False, None))
    words = ["--figures", "2", "--name", "b", "--name", "c", "--out", "a", "--order", "first", "--scale", "2"]
    assert run(command, *words, "--quiet", "--no-colour").strip() == repr(
        (2, ("b", "c"), Path("a"), "first", 2.0, True, False)
    )
    assert "Missing option '--out'" in run(command, status=2)
    assert "'middle' is not one of 'first', 'last'" in run(command, "--out", "a", "--order", "middle", status=2)


def test_an_empty_default_is_not_shown_and_any_other_is() -> None:
    @click.command(cls=SignatureCommand)
    def command(
        note: Annotated[str, Option("Note.", default="")],
        least: Annotated[float, Option("Least.", default=0.0)],
        port: Annotated[int, Option("Port [default: any].", default=0, show_default=False)],
    ) -> None:
        click.echo(repr((note, least, port)))

    page = run(command, "--help")
    assert "Note.\n" in page
    assert "Least.  [default: 0.0]" in page
    assert "Port [default: any].\n" in page
    assert run(command).strip() == repr(("", 0.0, 0))


def test_a_parameter_that_is_no_option_is_an_argument() -> None:
    @click.command(cls=SignatureCommand)
    def command(
        name: str, rest: Annotated[tuple[Path, ...], Argument(metavar="[FILE]...")], label: str | None
    ) -> None:
        click.echo(repr((name, rest, label)))

    @click.command(cls=SignatureCommand)
    def several(files: Annotated[tuple[Path, ...], Argument(metavar="FILE...", required=True)]) -> None:
        click.echo(len(files))

    assert run(command, "--help").startswith("Usage: command [OPTIONS] NAME [FILE]... [LABEL]\n")
    assert run(command, "a").strip() == repr(("a", (), None))
    assert run(command, "a", "b", "c", "d").strip() == repr(("a", (Path("b"), Path("c")), "d"))
    assert "Missing argument 'NAME'" in run(command, status=2)
    assert "Missing argument 'FILE...'" in run(several, status=2)
    assert run(several, "a", "b") == "2\n"


def test_an_empty_path_is_wrong_usage_where_no_other_type_is_declared() -> None:
    @click.command(cls=SignatureCommand)
    def command(file: Path) -> None:
        raise AssertionError(file)

    assert "is empty; name a file or a folder" in run(command, "", status=2)


def test_a_class_of_options_stands_in_its_place_and_arrives_as_one_object() -> None:
    @click.command(cls=SignatureCommand)
    def command(
        name: str, drawing: FramedDrawing, quiet: Annotated[bool, Option("Print nothing.")]
    ) -> tuple[str, FramedDrawing, bool]:
        return name, drawing, quiet

    flags = [line.split()[0] for line in run(command, "--help").splitlines() if line.startswith("  --")]
    assert flags == ["--line-width", "--seed", "--frame", "--quiet", "--help"]
    name, drawing, quiet = command.main(["x"], standalone_mode=False)
    assert (name, vars(drawing), quiet) == ("x", {"line_width": 1.5, "seed": 0, "frame": None}, False)
    words = ["--seed", "3", "x", "--frame", "red"]
    name, drawing, quiet = command.main(words, standalone_mode=False)
    assert isinstance(drawing, FramedDrawing)
    assert (name, drawing.line_width, drawing.seed, drawing.frame, quiet) == ("x", 1.5, 3, "red", False)


def test_a_class_of_options_may_contain_another() -> None:
    @click.command(cls=SignatureCommand)
    def command(everything: Everything) -> Everything:
        return everything

    words = ["--quiet", "--line-width", "2"]
    everything = command.main(words, standalone_mode=False)
    assert (everything.drawing.line_width, everything.drawing.seed, everything.quiet) == (2.0, 0, True)


def test_the_names_of_a_class_of_options_are_those_of_its_fields() -> None:
    assert list(names_of(Everything)) == ["line_width", "seed", "quiet"]


def test_options_that_are_known_at_run_time_are_declared_by_the_same_annotations() -> None:
    def work(**values: object) -> dict[str, object]:
        return values

    work.__annotations__ = {"name": str, "seed": Seed}
    command = click.command("work", cls=SignatureCommand)(work)
    assert command.main(["x", "--seed", "4"], standalone_mode=False) == {"name": "x", "seed": 4}


def test_the_help_of_a_group_reads_no_options_of_its_commands() -> None:
    @click.group(cls=SignatureGroup)
    def group() -> None:
        """Do things."""

    @group.command()
    def draw(seed: NotThere) -> None:  # type: ignore[name-defined]  # noqa: F821
        """Draw figures."""

    assert "draw  Draw figures." in run(group, "--help")
    with pytest.raises(NameError, match="NotThere"):
        group.main(["draw"], standalone_mode=False)


def test_a_group_of_options_refuses_what_cannot_be_combined() -> None:
    class Sheet(OptionGroup):
        sheet: Annotated[str | None, Option("Sheet.")]
        boxes: Annotated[bool, Option("Boxes on it.")]

        def __post_init__(self) -> None:
            if self.boxes and self.sheet is None:
                raise click.UsageError("--boxes needs --sheet")

    def work(sheet: str) -> None:
        click.echo(sheet)

    work.__annotations__ = {"sheet": Sheet}
    command = click.command("work", cls=SignatureCommand)(work)
    assert "Error: --boxes needs --sheet" in run(command, "--boxes", status=2)
    run(command, "--boxes", "--sheet", "a")


def test_a_type_that_click_does_not_know_is_no_argument_by_mistake() -> None:
    @click.command(cls=SignatureCommand)
    def command(numbers: dict[str, int]) -> None:
        raise AssertionError(numbers)

    with pytest.raises(TypeError, match="numbers: values of dict"):
        command.main(["x"], standalone_mode=False)


@pytest.mark.parametrize("word", ["-1", "a"])
def test_a_value_that_does_not_fit_is_wrong_usage(word: str) -> None:
    @click.command(cls=SignatureCommand)
    def command(seed: Seed) -> None:
        raise AssertionError(seed)

    assert "Invalid value for '--seed'" in run(command, "--seed", word, status=2)
