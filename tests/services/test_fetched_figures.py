"""Importing figures whose images are named by address."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from picture_server import Site, fetcher, png, sends

from annotator.campaign.home import Home
from annotator.imports import figures as importing
from annotator.store.store import Store
from panelwise.files.jsonl import Problems, write_lines


def bring(home: Home, store: Store, file: Path, **options: Any) -> tuple[int, int, list[str]]:
    problems = Problems()
    *_, tally = importing.import_figures(home, store, file, problems, **options)
    return tally.added, tally.unchanged, problems.lines


@pytest.fixture
def loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Imports may speak to this machine: the parameter of `Fetcher`, given for them."""
    monkeypatch.setattr(importing, "Fetcher", lambda settings: fetcher(**asdict(settings.limits)))


def test_an_address_is_refused_unless_allowed(home: Home, store: Store, tmp_path: Path) -> None:
    file = tmp_path / "figures.jsonl"
    write_lines(file, [{"figure_id": "f1", "image": "https://example.org/a.png", "caption": ""}])
    (problem,) = bring(home, store, file)[2]
    assert problem.startswith(f'{file}:1: figure "f1": its image is a URL, https://example.org/a.png')
    assert "--allow-urls" in problem


@pytest.mark.slow
@pytest.mark.parametrize(
    ("image", "told"),
    [
        ("ftp://example.org/a.png", '"ftp" is not fetched'),
        ("file:///etc/passwd", '"file" is not fetched'),
        ("http://127.0.0.1/a.png", "not a public address"),
        ("http://localhost:8090/a.png", "not a public address"),
        ("https://ann:secret@example.org/a.png", "https://example.org/a.png: carries a login"),
    ],
)
def test_what_no_option_allows_is_refused_at_once_and_no_option_advised(
    home: Home, store: Store, tmp_path: Path, image: str, told: str
) -> None:
    write_lines(tmp_path / "f.jsonl", [{"figure_id": "f1", "image": image, "caption": ""}])
    (problem,) = bring(home, store, tmp_path / "f.jsonl")[2]
    assert told in problem
    assert "allow-urls" not in problem
    assert "secret" not in problem


@pytest.mark.usefixtures("loopback")
def test_what_was_fetched_is_not_fetched_again(home: Home, store: Store, site: Site, tmp_path: Path) -> None:
    site.answers["/a.png"], site.answers["/b.png"] = [sends(png())], [sends(b"no image")]
    file = tmp_path / "figures.jsonl"
    records = [{"figure_id": name, "image": f"{site.url}/{name}.png", "caption": ""} for name in ("a", "b")]
    write_lines(file, records)
    added, _, (problem,) = bring(home, store, file, allow_urls=True)
    assert added == 1
    assert problem == (
        f"{file}:2: {site.url}/b.png: is no image that can be read; give PNG, JPEG, WebP, GIF, TIFF or BMP"
    )
    with store.read() as tx:
        figure = tx.figures.get("a")
    assert (figure.width, figure.height, figure.extra["given_image"]) == (8, 6, f"{site.url}/a.png")
    assert home.image_path(figure).read_bytes() == png()
    site.answers["/b.png"] = [sends(png())]
    assert bring(home, store, file, allow_urls=True) == (1, 1, [])
    assert [path for path, _ in site.asked] == ["/a.png", "/b.png", "/b.png"]
    home.image_path(figure).unlink()
    assert bring(home, store, file, allow_urls=True) == (0, 2, [])
    assert site.asked[-1][0] == "/a.png"


@pytest.mark.usefixtures("loopback")
def test_the_campaign_may_allow_addresses(home: Home, store: Store, site: Site, tmp_path: Path) -> None:
    settings = home.path / "campaign.toml"
    settings.write_text(settings.read_text() + "[images]\nallow_urls = true\n")
    site.answers["/a.png"] = [sends(png())]
    file = tmp_path / "figures.jsonl"
    write_lines(file, [{"figure_id": "a", "image": f"{site.url}/a.png", "caption": ""}])
    assert bring(Home.find(home.path), store, file) == (1, 0, [])
