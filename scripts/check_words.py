"""Refuses words of a private dialect in public names and in texts for users: `python scripts/check_words.py`.

Also refuses docstrings that begin like a question ("Whether a job runs." for "Return whether a job runs.").

A name is public where neither it nor anything around it begins with an underscore: modules, functions, methods,
classes, fields, constants, and parameters. Names that something outside of the code fixes are listed in
`check_words.toml` beside this script, each with the reason.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("agreement", "annotator", "label_config", "panelwise", "prelabel", "simulator/panelwise_simulator")
EXCEPTIONS = Path(__file__).with_suffix(".toml")

#: What to write instead. Participles that name a thing ("what was told") make a reader open the code; the field's
#: nouns and verbs do not.
WORDS = {
    "told": "warning, message, report, described",
    "tells": "describe, report",
    "kept": "cached, stored, remaining",
    "taken": "used, claimed, selection",
    "taking": "claim",
    "heard": "opinions, votes",
    "given": "provided, or the thing itself",
    "asked": "requested",
    "asking": "request",
    "stands": "is, current",
    "holds": "contains",
    "settle": "adjudicate, match, resolve",
    "settled": "adjudicated, matched, resolved",
    "settling": "adjudication",
    "settles": "adjudicates",
    "whoever": "the person",
    "nobody": "no annotator, anonymous",
    "said": "message, text",
    "anew": "again",
    "beside": "against, compared with",
    "lacks": "missing",
    "wanted": "expected, required",
    "known": "stored, existing",
    "meant": "intended",
    "mended": "repaired",
    "mend": "fix, repair",
    "spoilt": "damaged",
    "begun": "started",
}
#: Words that no text for users has: strings with a blank in Python, templates and the front end; pages of docs/.
TEXTS = {
    "told": "described, reported; is distinguished from",
    "anew": "again",
    "nobody": "no annotator, no one, not",
    "whoever": "the person who, people who",
    "settle": "adjudicate, match",
    "settled": "adjudicated, matched",
    "settling": "adjudicating",
    "dealt": "assigned",
    "begun": "started, began",
    "mend": "correct, repair",
    "mended": "corrected, fixed",
    "mends": "corrects, fixes",
    "spoilt": "damaged",
}
_TEXT = re.compile(rf"(?<![-\w`]){'(?:' + '|'.join(TEXTS) + ')'}\b(?!`)", re.IGNORECASE)
#: Quoted strings of TypeScript, and text between tags.
_SCRIPT = re.compile(r"""(["`])((?:(?!\1).)*)\1|>([^<>{}]*)<""")
_MARKUP = re.compile(r"<[^>]*>|\{[{%#].*?[}%#]\}", re.DOTALL)
_QUESTION = re.compile(r"(?:What|Whether|Where|How|Who|Which|When|Why)\b")
_PART = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True)
class Name:
    """A public name. place: "file:line". kind: what it is of."""

    place: str
    kind: str
    name: str

    @property
    def words(self) -> tuple[str, ...]:
        """Its parts that are listed words."""
        return tuple(part for part in map(str.lower, _PART.findall(self.name)) if part in WORDS)


def names_of(path: Path, root: Path = ROOT) -> Iterator[Name]:
    """Yield the public names that a file defines, its own first."""
    shown = path.relative_to(root)
    if any(part.startswith("_") and part != "__init__.py" for part in shown.parts):
        return
    module = path.parent.name if path.name == "__init__.py" else path.stem
    yield Name(f"{shown}:1", "module", module)
    yield from _defined(ast.parse(path.read_text(encoding="utf-8")).body, str(shown))


def _defined(body: list[ast.stmt], shown: str) -> Iterator[Name]:
    for node in body:
        if isinstance(node, ast.ClassDef) and _public(node.name):
            yield Name(f"{shown}:{node.lineno}", "class", node.name)
            yield from _defined(node.body, shown)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (
            _public(node.name) or node.name == "__init__"
        ):
            yield Name(f"{shown}:{node.lineno}", "function", node.name)
            for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                if _public(argument.arg):
                    yield Name(f"{shown}:{argument.lineno}", "parameter", argument.arg)
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
            for target in targets:
                if isinstance(target, ast.Name) and _public(target.id):
                    yield Name(f"{shown}:{node.lineno}", "constant or field", target.id)
        elif isinstance(node, ast.If | ast.Try):
            yield from _defined(node.body, shown)


def _public(name: str) -> bool:
    return not name.startswith("_")


def files(root: Path = ROOT) -> list[Path]:
    """Return the modules of all packages, without tests and the database's migrations."""
    found = [path for package in PACKAGES for path in (root / package).rglob("*.py")]
    return sorted(path for path in found if not {"tests", "versions", "node_modules"} & set(path.parts))


def listed_names(root: Path = ROOT) -> list[Name]:
    """Return every public name that has a listed word."""
    return [name for path in files(root) for name in names_of(path, root) if name.words]


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts for users in a file, each with its line: strings, a template's or a page's lines."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        tree = ast.parse(source)
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            match node:
                case ast.Constant(value=str(text)) if id(node) not in docstrings and " " in text.strip():
                    yield node.lineno, text
    elif path.suffix in (".ts", ".tsx"):
        for number, line in enumerate(source.splitlines(), 1):
            if not line.lstrip().startswith(("*", "/*", "//")):
                for found in _SCRIPT.finditer(line):
                    if found[3] or " " in (found[2] or ""):
                        yield number, found[2] or found[3]
    else:
        if path.suffix == ".html":
            source = _MARKUP.sub(lambda found: "\n" * found[0].count("\n"), source)
        yield from enumerate(source.splitlines(), 1)


def listed_texts(root: Path = ROOT) -> Iterator[tuple[str, str, str]]:
    """Yield each listed word in a text for users: its place, the word, the text."""
    web = root / "annotator" / "web"
    pages = [root / "README.md", *(root / "docs").rglob("*.md")]
    sources = (path for path in (web / "frontend" / "src").rglob("*.ts*") if ".test." not in path.name)
    for path in sorted((*files(root), *(web / "templates").rglob("*.html"), *sources, *pages)):
        for line, text in texts_of(path):
            for found in _TEXT.finditer(text):
                yield f"{path.relative_to(root)}:{line}", found[0].lower(), text


def questions(root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """Yield each docstring that begins like a question: its place, its first line."""
    folders = ("benchmarks", "scripts")
    for path in (*files(root), *(each for name in folders for each in sorted((root / name).rglob("*.py")))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = ast.get_docstring(node) or ""
                if _QUESTION.match(text):
                    yield f"{path.relative_to(root)}:{getattr(node, 'lineno', 1)}", text.partition("\n")[0]


def problems(exceptions: dict[str, dict[str, str]], root: Path = ROOT) -> Iterator[str]:
    """Yield a line for each listed word and question, and for each exception that is needless or lacks a reason.

    exceptions: reasons by name, by module; those of texts by a part of them, at "texts".
    """
    fixed = exceptions.get("texts", {})
    unused = {(path, name) for path, names in exceptions.items() for name in names}
    for name in listed_names(root):
        path = name.place.rpartition(":")[0]
        unused.discard((path, name.name))
        if name.name not in exceptions.get(path, {}):
            yield f"{name.place}: {name.kind} {name.name}: write {'; '.join(WORDS[word] for word in name.words)}"
    for place, word, text in listed_texts(root):
        exempt = [part for part in fixed if part in text]
        unused.difference_update(("texts", part) for part in exempt)
        if not exempt:
            yield f"{place}: {word}: write {TEXTS[word]}"
    for place, text in questions(root):
        yield f'{place}: docstring "{text}": write a verb with its noun, or a noun'
    for path, name in sorted(unused):
        yield f"{EXCEPTIONS.name}: {path}: {name}: needless, remove it"
    for path, names in exceptions.items():
        yield from (
            f"{EXCEPTIONS.name}: {path}: {name}: give a reason" for name in names if not names[name].strip()
        )


def main() -> int:
    """Print the problems of this repository; 1 if there is any."""
    found = list(problems(tomllib.loads(EXCEPTIONS.read_text(encoding="utf-8"))))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
