"""Releases and names as a user meets them: exit codes, what is on stdout, one line for each fault."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest
from builders import NOON, a_decision, a_figure, an_annotation
from PIL import Image
from running import notes

from annotator.campaign.home import Home
from annotator.store.rows.records import ProjectLink
from annotator.sync.push import push
from panelwise.domain.campaign import Person, Role, Task
from panelwise.files.jsonl import write_lines
from panelwise.formats.annotations import annotation_record
from tests.cli.test_commands import annotator, assert_one_line
from tests.label_studio.fake import FakeServer


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with two figures: one settled by ruth on ann1's work, one that ann1 and ann2 differ on."""
    home = tmp_path / "home"
    assert annotator("init", home).returncode == 0
    for name in ("f1", "f2"):
        Image.new("RGB", (800, 600), "white").save(home / "images" / f"{name}.png")
    with Home.find(home).open_store() as store, store.transaction() as tx:
        figures = [a_figure(name, extra={"licence": "CC0"}) for name in ("f1", "f2")]
        for figure in figures:
            tx.figures.add(figure)
        tx.people.put(Person("ruth", frozenset({Role.REVIEWER}), "r@example.org"), password_hash="$hash")
        tx.tasks.add([Task(name, "ann1", "1") for name in ("f1", "f2")])
        for figure in figures:
            tx.annotations.add(an_annotation(figure, annotator="ann1"))
        tx.annotations.add(an_annotation(figures[1], annotator="ann2", subfigures=()))
        tx.decisions.add(a_decision(figures[0], reviewer="ruth", decided_at=NOON))
    return home


def test_a_release_is_made_listed_and_checked(home: Path) -> None:
    done = annotator("release", "pilot", "--note", "first", "--images", home=home)
    assert done.returncode == 0, done.stderr
    folder = home / "releases" / "001-pilot"
    lines = done.stdout.splitlines()
    assert lines[0] == f"release 1: {folder}"
    assert lines[1] == "1 figure (1 adjudicated, 0 unanimous, 0 single), 2 subfigures"
    assert lines[2].startswith("IAA of phase 1: ")
    assert lines[-1] == "status of 2 figures: 1 adjudicated, 1 unresolved"
    assert notes(done.stderr) == (
        "left out 1 unresolved; adjudicate them with `annotator serve`: f2\n"
        "note: campaign.toml: [release] has no licence and no authors; add them and release again\n"
    )
    assert "ruth" not in (folder / "gold.jsonl").read_text(encoding="utf-8")
    listed = annotator("release", "--list", home=home)
    assert listed.stdout.split()[:2] == ["001", "pilot"]
    assert annotator("release", "--check", home=home).stdout == "001-pilot: unchanged\n"
    (folder / "gold.jsonl").chmod(0o644)
    (folder / "gold.jsonl").write_text("{}\n", encoding="utf-8")
    (folder / "figures.jsonl").unlink()
    for arguments in (["--check"], ["pilot", "--check"], ["--check", "1"]):
        done = annotator("release", *arguments, home=home)
        assert (done.returncode, done.stdout) == (1, "001-pilot: 2 changed\n")
        first, second = sorted(done.stderr.strip().splitlines())
        assert first.startswith(f"{folder / 'figures.jsonl'}: No such file")
        assert second.startswith(f"{folder / 'gold.jsonl'}: has changed")


def test_what_cannot_be_released_is_told_in_one_line(home: Path, tmp_path: Path) -> None:
    assert annotator("release", "pilot", home=home).returncode == 0
    assert_one_line(annotator("release", "Pilot", home=home), 'release "pilot" already exists')
    assert_one_line(annotator("release", "a/b", home=home), "is not a valid release name")
    assert_one_line(annotator("release", "--check", "second", home=home), 'no release "second"')
    assert annotator("init", tmp_path / "empty").returncode == 0
    assert_one_line(annotator("release", "x", home=tmp_path / "empty"), "no gold figures to release")
    (home / "releases" / "001-pilot" / "manifest.json").unlink()
    assert_one_line(annotator("release", "--list", home=home), "manifest.json: No such file")


def test_no_release_yet_is_no_error(home: Path) -> None:
    for option in ("--list", "--check"):
        done = annotator("release", option, home=home)
        assert (done.returncode, done.stdout) == (0, "")
        assert done.stderr == "no releases yet; create one with `annotator release NAME`\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [[], ["--list", "--check"], ["pilot", "--list"], ["pilot", "--names", "initials"]]
)
def test_wrong_usage_is_exit_2(home: Path, arguments: list[str]) -> None:
    assert annotator("release", *arguments, home=home).returncode == 2


def test_gold_is_exported_with_images_and_under_pseudonyms(home: Path, tmp_path: Path) -> None:
    out, images = tmp_path / "gold.jsonl", tmp_path / "out" / "images"
    done = annotator("export", "gold", "--out", out, "--images", images, "--names", "pseudonyms", home=home)
    assert done.returncode == 0, done.stderr
    assert f"copied 1 image to {images}" in done.stdout
    assert "ruth" not in out.read_text(encoding="utf-8")
    assert len(list(images.iterdir())) == 1
    again = annotator("export", "gold", "--out", out, "--images", images, home=home)
    assert again.returncode == 0
    assert '"ruth"' in out.read_text(encoding="utf-8")


def test_an_image_that_cannot_be_copied_is_named_and_the_gold_is_written(home: Path, tmp_path: Path) -> None:
    (home / "images" / "f1.png").unlink()
    out = tmp_path / "gold.jsonl"
    done = annotator("export", "gold", "--out", out, "--images", tmp_path / "images", home=home)
    assert done.returncode == 1
    assert 'figure "f1": images/f1.png: No such file' in done.stderr
    assert len(out.read_text(encoding="utf-8").splitlines()) == 1


@pytest.mark.slow
def test_a_person_is_renamed_and_forgotten(home: Path, tmp_path: Path) -> None:
    done = annotator("user", "rename", "ann1", "ann.one", home=home)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "ann1 is now ann.one (2 tasks, 2 annotations, 1 decision)\n"
    shown = annotator("user", "pseudonym", "ruth", "--show", home=home).stdout.strip()
    assert annotator("user", "pseudonym", "ruth", "--show", "--forget", home=home).returncode == 2
    done = annotator("user", "pseudonym", "ruth", "--forget", home=home)
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    pseudonym = first.split()[3]
    assert pseudonym == shown
    assert pseudonym.startswith("p-")
    assert second == f"removed the e-mail and password of {pseudonym}, who can no longer sign in"
    [line] = done.stderr.splitlines()
    assert line.startswith("note: exported files, backups")
    assert annotator("user", "list", home=home).stdout.split() == [pseudonym, "reviewer", "inactive", "never"]
    for file in home.glob("store.sqlite*"):
        assert b"ruth" not in file.read_bytes()
        assert b"r@example.org" not in file.read_bytes()
    write_lines(tmp_path / "a.jsonl", [annotation_record(an_annotation(annotator="ann.one"))])
    done = annotator("import", "annotations", tmp_path / "a.jsonl", home=home)
    assert done.stdout == "imported 0 annotations, 1 unchanged\n"


def test_names_that_cannot_be_replaced_are_told_in_one_line(home: Path) -> None:
    assert_one_line(annotator("user", "rename", "nobody", "x", home=home), "no person here is named")
    assert_one_line(annotator("user", "rename", "ann1", "ann2", home=home), "two people cannot be made one")
    assert_one_line(annotator("user", "pseudonym", "nobody", home=home), "no person")
    assert annotator("user", "pseudonym", "ann1", "anon", home=home).stdout.startswith("ann1 is now anon (")
    assert_one_line(annotator("user", "pseudonym", "anon", "anon", home=home), "is already a pseudonym")


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("", "the campaign's own Label Studio is not running"),
        ("http://127.0.0.1:9", "projects in Label Studio not renamed ("),
    ],
)
@pytest.mark.slow
def test_projects_that_could_not_be_renamed_are_told_and_exit_1(
    home: Path, monkeypatch: pytest.MonkeyPatch, url: str, told: str
) -> None:
    if url:
        monkeypatch.setenv("LABEL_STUDIO_URL", url)
        monkeypatch.setenv("LABEL_STUDIO_API_KEY", "t" * 40)
    with Home.find(home).open_store() as store, store.transaction() as tx:
        tx.links.put_project(ProjectLink("ann1", "1", 7, "http://127.0.0.1:9", "ann1 · phase 1"))
    done = annotator("user", "pseudonym", "ann1", "--forget", home=home)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert told in lines[0]
    assert "run `annotator push`" in lines[0]
    assert "the person's account in Label Studio" in lines[-1]


def test_projects_are_renamed_where_the_server_runs(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = FakeServer()
    monkeypatch.setenv("LABEL_STUDIO_URL", server.url)
    monkeypatch.setattr("annotator.label_studio.client.LabelStudioServer", lambda *_, **__: nullcontext(server))
    where = Home.find(home)
    with where.open_store() as store:
        list(push(where, store, server))
    done = annotator("user", "rename", "ann1", "ann.one", home=home)
    assert done.returncode == 0, done.stderr
    assert "renamed 1 project in Label Studio" in done.stdout
    [project] = server.projects()
    assert project.title == "ann.one · phase 1"
    assert '"ann1"' not in project.description
