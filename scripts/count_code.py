"""Count code lines: lines with code on them, without blank lines, comments and docstrings; imports count.

python scripts/count_code.py            a table of the packages, printed by `make check`
python scripts/count_code.py --rooms    a table of their rooms
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGES = ("label_config", "panelwise", "agreement", "prelabel", "annotator")
SIMULATOR = "simulator/panelwise_simulator"
#: A module with fewer code lines is small: it may read better in the module of its only importer.
SMALL = 60

_NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}


def code_lines(source: str) -> int:
    """Count the lines of a module that hold code."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - _docstring_lines(ast.parse(source)))


def _docstring_lines(tree: ast.Module) -> set[int]:
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if ast.get_docstring(node, clean=False) is not None and first is not None:
                lines.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return lines


def modules(package: str) -> Iterator[Path]:
    """Yield the modules of a package, without the front end's packages."""
    for path in sorted((REPOSITORY / package).rglob("*.py")):
        if "node_modules" not in path.parts:
            yield path


def imported_names(path: Path) -> set[str]:
    """Return the full names of all that a module imports, at its top or in a function."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def main(arguments: list[str]) -> int:
    """Print the table."""
    by_room = "--rooms" in arguments
    lines: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    small: Counter[str] = Counter()
    importers: Counter[str] = Counter()
    names: dict[str, str] = {}
    for package in (*PACKAGES, SIMULATOR):
        top = (REPOSITORY / package).parent
        for path in modules(package):
            relative = path.relative_to(top)
            row = "/".join(relative.parts[: 2 if by_room and len(relative.parts) > 2 else 1])
            size = code_lines(path.read_text(encoding="utf-8"))
            lines[row] += size
            counts[row] += 1
            if path.name != "__init__.py":
                small[row] += size < SMALL
                names[".".join(relative.with_suffix("").parts)] = row
            importers.update(imported_names(path))
    lonely = Counter(row for name, row in names.items() if importers[name] == 1)
    print(f"{'code lines':<34}{'lines':>8}{'modules':>9}{f'under {SMALL}':>10}{'one importer':>14}")
    for row in lines:
        print(f"{row:<34}{lines[row]:>8,}{counts[row]:>9}{small[row]:>10}{lonely[row]:>14}")
    five = [row for row in lines if row.partition("/")[0] in PACKAGES]
    totals = [sum(count[row] for row in five) for count in (lines, counts, small, lonely)]
    print(f"{'the five packages':<34}{totals[0]:>8,}{totals[1]:>9}{totals[2]:>10}{totals[3]:>14}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
