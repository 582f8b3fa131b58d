"""The check of words in public names: what it looks at, and that its exceptions are names that there are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture
def check_words(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import check_words

    yield check_words
    sys.modules.pop("check_words", None)


def test_public_names_of_every_kind_are_looked_at(check_words: ModuleType, tmp_path: Path) -> None:
    module = tmp_path / "agreement" / "heard.py"
    module.parent.mkdir()
    module.write_text(
        "KEPT = 1\n"
        "_KEPT = 2\n"
        "def told_of(given, _taken): ...\n"
        "def _told(given): ...\n"
        "class SettledWork:\n"
        "    asked: int\n"
        "    def begun(self): ...\n"
        "    def forgiven(self, toldo): ...\n"
    )
    found = [(name.kind, name.name, name.words) for name in check_words.names_of(module, tmp_path) if name.words]
    assert found == [
        ("module", "heard", ("heard",)),
        ("constant or field", "KEPT", ("kept",)),
        ("function", "told_of", ("told",)),
        ("parameter", "given", ("given",)),
        ("class", "SettledWork", ("settled",)),
        ("constant or field", "asked", ("asked",)),
        ("function", "begun", ("begun",)),
    ]


def test_an_exception_needs_a_reason_and_something_that_it_excepts(
    check_words: ModuleType, tmp_path: Path
) -> None:
    module = tmp_path / "agreement" / "jobs.py"
    module.parent.mkdir()
    (tmp_path / "README.md").touch()
    module.write_text('told = "to be mended"\nasked = 1\n')
    exceptions = {
        "texts": {"to be mended": "a message that stores hold", "never": "nowhere"},
        "agreement/jobs.py": {"asked": " ", "gone": "was a JSON key"},
    }
    assert list(check_words.problems(exceptions, tmp_path)) == [
        "agreement/jobs.py:1: constant or field told: write warning, message, report, described",
        "check_words.toml: agreement/jobs.py: gone: needless, remove it",
        "check_words.toml: texts: never: needless, remove it",
        "check_words.toml: agreement/jobs.py: asked: give a reason",
    ]


def test_texts_of_every_kind_are_looked_at(check_words: ModuleType, tmp_path: Path) -> None:
    files = {
        "annotator/a.py": '"""Told in a docstring."""\nkey = "told"\nmessage = f"{key}: nobody\'s work"\n',
        "annotator/web/templates/b.html": '<p class="told">Settled by {{ told }}</p>\n',
        "annotator/web/frontend/src/c.tsx": '// told\nconst told = "to be mended";\n<b id={told}>begun</b>\n',
        "docs/d.md": "Run `mend` or `--mend` anew.\n",
        "README.md": "Whoever reads this.\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert [(place, word) for place, word, _ in check_words.listed_texts(tmp_path)] == [
        ("README.md:1", "whoever"),
        ("annotator/a.py:3", "nobody"),
        ("annotator/web/frontend/src/c.tsx:2", "mended"),
        ("annotator/web/frontend/src/c.tsx:3", "begun"),
        ("annotator/web/templates/b.html:1", "settled"),
        ("docs/d.md:1", "anew"),
    ]


def test_a_docstring_that_begins_like_a_question_is_found(check_words: ModuleType, tmp_path: Path) -> None:
    module = tmp_path / "agreement" / "jobs.py"
    module.parent.mkdir()
    module.write_text(
        '"""Jobs."""\n'
        'def running():\n    """Whether a job runs."""\n'
        'def start():\n    """Start a job. What it prints is stored."""\n'
        'class Whatever:\n    """Whatever else."""\n'
    )
    assert list(check_words.questions(tmp_path)) == [("agreement/jobs.py:2", "Whether a job runs.")]
