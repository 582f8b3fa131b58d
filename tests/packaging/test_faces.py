"""Packages are imported through their faces: what a room's `__init__.pyi` lists, each name loaded on first use.

That nobody goes round them is a contract in pyproject.toml (`make check`).
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from conftest import REPOSITORY

from panelwise.faces import face, listed_names

PACKAGES = ("agreement", "panelwise", "prelabel")
FACES = {
    ".".join(path.parent.relative_to(REPOSITORY).parts): path
    for package in PACKAGES
    for path in sorted((REPOSITORY / package).rglob("__init__.pyi"))
}


def defined(module: str) -> set[str]:
    """The names that a module binds."""
    tree = ast.parse((REPOSITORY / (module.replace(".", "/") + ".py")).read_text(encoding="utf-8"))
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
    return names


@pytest.mark.parametrize("name", FACES)
def test_a_face_lists_names_that_its_own_modules_have(name: str) -> None:
    listed = listed_names(FACES[name])
    assert listed
    assert all(module.startswith(f"{name}.") for module, _ in listed.values())
    assert [public for public, (module, own) in listed.items() if own not in defined(module)] == []
    assert [public for public, (_, own) in listed.items() if public != own] == [], "type checkers would not see it"


@pytest.mark.parametrize("name", FACES)
def test_no_name_of_a_face_is_also_a_module_beside_it(name: str) -> None:
    """An attribute of a package is one or the other: the module, as soon as something imports it."""
    beside = {path.stem for path in FACES[name].parent.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert beside & set(listed_names(FACES[name])) == set()


def test_a_face_loads_its_modules_on_first_use_only() -> None:
    code = (
        f"import sys, {', '.join(FACES)}\n"
        "loaded = {name for name in sys.modules if name.split('.')[0] in sys.argv[1:]}\n"
        f"print(sorted(loaded - {set(FACES) | set(PACKAGES)!r} - {{'panelwise.faces'}}))\n"
        "print('numpy' in sys.modules, 'torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *PACKAGES], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["[]", "False False"]


@pytest.mark.parametrize("package", PACKAGES)
def test_a_contract_holds_the_faces_of_a_package(package: str) -> None:
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    [contract] = [each for each in contracts if each["name"] == f"{package} is imported through its faces"]
    assert contract["type"] == "protected"
    assert (contract["protected_modules"], contract["allowed_importers"]) == ([f"{package}.*.*"], [package])


def test_a_face_hands_names_on_and_names_those_that_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "__init__.py").write_text(
        "from panelwise.faces import face\n__all__, __getattr__, __dir__ = face(__name__, __file__)\n"
    )
    (tmp_path / "lab" / "__init__.pyi").write_text('"""Names."""\n\nfrom lab.bench import width as width\n')
    (tmp_path / "lab" / "bench.py").write_text("width = 3\nheight = 4\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    lab = import_module("lab")
    assert "lab.bench" not in sys.modules
    assert (lab.__all__, lab.width) == (["width"], 3)
    assert {"width", "__name__"} <= set(dir(lab))
    with pytest.raises(AttributeError, match="module 'lab' has no attribute 'height'"):
        _ = lab.height
    for name in ("lab", "lab.bench"):
        monkeypatch.delitem(sys.modules, name)


def test_a_face_without_its_list_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        face("lab", str(tmp_path / "__init__.py"))
