"""The face of a package: the names that it hands on from its modules, each imported on first use."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def listed_names(stub: Path) -> dict[str, tuple[str, str]]:
    """Read a stub with lines `from MODULE import NAME as PUBLIC`; returns public name -> (module, name there)."""
    lines = (line.split() for line in stub.read_text(encoding="utf-8").splitlines())
    return {words[5]: (words[1], words[3]) for words in lines if words[:1] == ["from"]}


def face(package: str, file: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` of a package whose `__init__.pyi` lists its public names.

    file: the package's `__file__`. Type checkers read the stub too, so that each name is written once.
    """
    names = listed_names(Path(file).with_suffix(".pyi"))

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, own_name = names[name]
        return getattr(import_module(module), own_name)

    def list_names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *names})

    return sorted(names), get, list_names
