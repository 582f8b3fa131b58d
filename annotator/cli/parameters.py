"""Options and arguments of commands, declared once: in the signature of the command.

    @click.command(cls=SignatureCommand, epilog="Example: annotator user log ruth --failed")
    def log(name: str | None, failed: Annotated[bool, Option("Only failed attempts.")], home: HomeOption) -> None:

The parameter's name gives the flag, its type what the option takes, and whether it is required, repeatable or a
flag; `Option` has the help and the default. A parameter without `Option` is an argument. An option of several
commands is one alias, such as `HomeOption`. A parameter of a subclass of `OptionGroup` stands for its fields.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, dataclass_transform, get_args, get_origin, get_type_hints

import click

from annotator.cli.paths import InPath

#: Click's types for annotations, unless the declaration names another one.
_TYPES: Mapping[Any, Any] = {
    **{str: click.STRING, int: click.INT, float: click.FLOAT, bool: click.BOOL},
    Path: InPath(),
}


class Number(click.FloatRange):
    """A finite number in a range: NaN passes the range check of click, and so does infinity at an open end."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number. Fails with wrong usage."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number", param, ctx)
        return number


class Option:
    """An option. help: its description. flags: `--name` unless given.

    settings: those of `click.Option`, such as `default`, which is shown unless it is empty. An option without a
    default is required, unless it may be None, is a tuple (repeatable) or a bool (a flag).
    """

    def __init__(self, help: str, *flags: str, **settings: Any) -> None:
        self.flags = flags
        self.settings = {"help": help, "show_default": settings.get("default") not in (None, ""), **settings}

    def parameter(self, name: str, hint: Any) -> click.Parameter:
        """Return click's option for the parameter of this name and type."""
        base, optional, several = _parts_of(hint)
        settings: dict[str, Any] = {"type": self.settings.get("type") or _type_of(base, name)}
        if base is bool:
            settings |= {"is_flag": True, "default": None if optional else False}
        elif several:
            settings["multiple"] = True
        elif not optional:
            settings["required"] = "default" not in self.settings
        flags = self.flags or (f"--{name.replace('_', '-')}",)
        return click.Option((*flags, name), **settings | self.settings)


class Argument:
    """An argument. settings: those of `click.Argument`. It is required unless it may be None or is a tuple."""

    def __init__(self, **settings: Any) -> None:
        self.settings = settings

    def parameter(self, name: str, hint: Any) -> click.Parameter:
        """Return click's argument for the parameter of this name and type."""
        base, optional, several = _parts_of(hint)
        kind = self.settings.get("type") or _type_of(base, name)
        settings = {"type": kind, "required": not (optional or several), "nargs": -1 if several else 1}
        return click.Argument((name,), **settings | self.settings)


@dataclass_transform(frozen_default=True, kw_only_default=True)
class OptionGroup:
    """Options that belong together, one for each annotation of a subclass.

    Not a dataclass: Python compiles code for each of these, which would cost every start some milliseconds.
    """

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)
        self.__post_init__()

    def __post_init__(self) -> None:
        """Check the values. Raises UsageError for options that can't be combined."""


class SignatureCommand(click.Command):
    """A command with the options and arguments that its function declares.

    They are read when they are needed: the help of a group needs none of its commands' options.
    """

    _params: list[click.Parameter] | None

    def __init__(self, name: str | None, *, callback: Callable[..., Any], **settings: Any) -> None:
        @wraps(callback)
        def call(**values: Any) -> Any:
            return _call(callback, values)

        self._function = callback
        super().__init__(name, callback=call, **settings)

    @property
    def params(self) -> list[click.Parameter]:
        """Return the options and arguments, in the order of the signature."""
        if self._params is None:
            self._params = list(_declared(self._function))
        return self._params

    @params.setter
    def params(self, value: list[click.Parameter]) -> None:
        self._params = value or None


class SignatureGroup(click.Group):
    """A group of such commands."""

    command_class = SignatureCommand


def names_of(options: type) -> Iterator[str]:
    """Yield the names of a class's options, in their order, as click's context has them."""
    for name, hint in _hints_of(options).items():
        if _is_class(hint):
            yield from names_of(cast("type", hint))
        else:
            yield name


def _hints_of(holder: Any) -> dict[str, Any]:
    """Return the annotations of a command's parameters, or of the fields of a class of options."""
    return {name: hint for name, hint in get_type_hints(holder, include_extras=True).items() if name != "return"}


def _declared(holder: Any) -> Iterator[click.Parameter]:
    """Yield the options and arguments, those of a class of options in its place."""
    for name, hint in _hints_of(holder).items():
        if _is_class(hint):
            yield from _declared(hint)
        elif get_origin(hint) is Annotated:
            yield hint.__metadata__[0].parameter(name, hint.__origin__)
        else:
            yield Argument().parameter(name, hint)


def _is_class(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, OptionGroup)


def _call(holder: Any, values: Mapping[str, Any]) -> Any:
    """Call a command, or build an object of options, with its values and an object for each class of options."""
    return holder(
        **{
            name: _call(hint, values) if _is_class(hint) else values[name]
            for name, hint in _hints_of(holder).items()
        }
    )


def _type_of(base: Any, name: str) -> Any:
    """Return click's type for one value: a choice of the texts in a Literal, or the type of a class."""
    if get_origin(base) is Literal:
        return click.Choice(get_args(base))
    if base not in _TYPES:
        raise TypeError(f"{name}: values of {base} need a type of click; declare one, or an OptionGroup")
    return _TYPES[base]


def _parts_of(hint: Any) -> tuple[Any, bool, bool]:
    """Return the type of one value, whether it may be None, and whether there may be several."""
    members = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        return next(each for each in members if each is not NoneType), NoneType in members, False
    return (members[0], False, True) if get_origin(hint) is tuple else (hint, False, False)
