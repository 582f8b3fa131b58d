"""A name on the model hub is asked for once. The hub is a server on this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from detector_cases import a_detr

from panelwise.domain.errors import AnnotatorError
from prelabel.runs.opening import open_classifier, open_detector, open_tagger
from prelabel.taggers.encoders import open_encoder, tiny_encoder

COMMIT = "0" * 39 + "1"
NAME = "nobody/no-such-model"


class Hub:
    """Has no model: answers every request with one status, or hangs up (status 0)."""

    def __init__(self) -> None:
        self.status = 404
        self.requests: list[str] = []
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if not self.path.startswith("/api/agent"):  # The client's own, once a process.
                    hub.requests.append(f"{self.command} {self.path}")
                if hub.status == 0:
                    self.close_connection = True
                    return
                self.send_response(hub.status)
                if hub.status == 404:
                    self.send_header("X-Error-Code", "RepoNotFound")
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_HEAD = do_GET

            def log_message(self, *_: object) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    made = Hub()
    template = f"{made.url}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", made.url)
    monkeypatch.setattr("huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub-cache"))
    thread = threading.Thread(target=made.server.serve_forever, args=(0.05,))
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


def a_detector(name: str) -> object:
    return open_detector(name, device="cpu")


@pytest.mark.parametrize("opening", [a_detector, open_encoder])
@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (404, "the hub has no such model, or a private one; check the name"),
        (503, "the hub gives no answer: .*503"),
        (0, "the hub gives no answer: Server disconnected"),
    ],
)
def test_a_model_that_the_hub_lacks_costs_one_request(
    hub: Hub, opening: Callable[[str], object], status: int, reason: str
) -> None:
    hub.status = status
    with pytest.raises(AnnotatorError, match=reason) as caught:
        opening(NAME)
    assert "\n" not in str(caught.value)
    assert hub.requests == [f"HEAD /{NAME}/resolve/main/config.json"]


@pytest.mark.parametrize("opening", [a_detector, open_encoder])
def test_offline_nothing_is_asked(
    hub: Hub, opening: Callable[[str], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(AnnotatorError, match="HF_HUB_OFFLINE is set"):
        opening(NAME)
    assert hub.requests == []


@pytest.mark.parametrize(
    "opening",
    [a_detector, open_encoder, lambda name: open_tagger(Path(name)), lambda name: open_classifier(Path(name))],
)
@pytest.mark.parametrize("name", ["/no/such/folder", "./nowhere", "a/b/c"])
def test_a_path_is_never_asked_for(hub: Hub, opening: Callable[[str], object], name: str) -> None:
    with pytest.raises(AnnotatorError, match="no such folder"):
        opening(name)
    assert hub.requests == []


@pytest.mark.parametrize(
    "opening", [lambda name: open_tagger(Path(name)), lambda name: open_classifier(Path(name))]
)
def test_taggers_and_classifiers_are_folders_and_never_asked_for(
    hub: Hub, opening: Callable[[str], object]
) -> None:
    with pytest.raises(AnnotatorError, match="no such folder; name a checkpoint"):
        opening(NAME)
    assert hub.requests == []


def in_cache(cache: Path, name: str) -> Path:
    """The folder that holds a model's files as the hub's client has downloaded them."""
    model = cache / f"models--{name.replace('/', '--')}"
    (model / "refs").mkdir(parents=True)
    (model / "refs" / "main").write_text(COMMIT)
    return model / "snapshots" / COMMIT


def test_a_detector_fetched_before_opens_while_the_hub_is_down_after_one_request(hub: Hub, tmp_path: Path) -> None:
    a_detr(in_cache(tmp_path / "hub-cache", "lab/detr"), preprocessor={})
    hub.status = 503
    assert open_detector("lab/detr", device="cpu").version == f"lab/detr-{COMMIT[:8]}"
    assert hub.requests == ["HEAD /lab/detr/resolve/main/config.json"]


@pytest.mark.parametrize("pretrained", [True, False])
def test_an_encoder_fetched_before_opens_while_the_hub_is_down_after_one_request(
    hub: Hub, tmp_path: Path, pretrained: bool
) -> None:
    made = tiny_encoder(["left lung, right lung"], hidden_size=16, intermediate_size=16)
    folder = in_cache(tmp_path / "hub-cache", "lab/bert")
    made.save(folder)
    made.model.save_pretrained(folder)
    hub.status = 503
    assert open_encoder("lab/bert", pretrained=pretrained).framing == made.framing
    assert hub.requests == ["HEAD /lab/bert/resolve/main/config.json"]


def test_a_hub_that_never_answers_is_not_waited_for(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The kernel takes the connection, and nobody reads it."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        template = f"{url}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr("huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr("prelabel.models.hub.SECONDS", 0.05)
        with pytest.raises(AnnotatorError, match=r"the hub gives no answer: .*timed out"):
            open_encoder(NAME)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("train", "detector", "gold.jsonl", "--architecture", NAME, "--out", "model"),
        ("train", "box-crf", "gold.jsonl", "--encoder", NAME, "--out", "model"),
        ("train", "text-crf", "gold.jsonl", "--out", "model"),
        ("run", "figures.jsonl", "--detector", NAME, "--out", "out.jsonl"),
    ],
)
def test_offline_a_name_that_is_not_on_disk_is_refused_before_torch_is_loaded(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "gold.jsonl").write_text("not read\n")
    (tmp_path / "figures.jsonl").write_text('{"figure_id": "a", "image": "a.png", "caption": ""}\n')
    code = (
        "import sys\nfrom annotator.cli.prelabel import main\ntry:\n    main()\nfinally:\n"
        "    print('torch' in sys.modules, 'transformers' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *command],
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1
    assert "no model of that name could be fetched (HF_HUB_OFFLINE is set)" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == "False False\n"
