"""Label Studio's ML backend protocol: what is answered, to whom, and from where images are taken."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from builders import a_figure
from flask.testing import FlaskClient
from label_studio_sdk.label_interface import LabelInterface
from picture_server import Site, sends
from PIL import Image

from annotator.label_studio.payload.figures import task_data
from annotator.label_studio.payload.items import items_config
from annotator.model_server.answers import Answers, ImageSource, figure_of_task
from annotator.model_server.app import USER, ModelServer, create_app
from label_config import names, subfigure_config
from panelwise.domain.annotation import Prediction, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.campaign import Phase, TaskType
from panelwise.domain.errors import AnnotatorError, FormatError, SyncError
from panelwise.domain.figure import Figure
from panelwise.domain.items import FigureKind, Items
from panelwise.settings.file_tables import ImageLimits

CONFIG = subfigure_config(["A", "B"])
TYPES = items_config(Phase("1", task_type=TaskType.FIGURE_TYPES))


class Model:
    """Finds the whole figure, which it calls "a", and all of its caption; figures called "bad" it fails on."""

    version = "model-7"

    def predict(self, figure: Figure, image: Image.Image) -> Prediction:
        if figure.id == "bad":
            raise RuntimeError("weights of lead")
        box = Box(0, 0, figure.width, figure.height)
        tokens = frozenset(range(len(figure.caption.ranges))) - {5}
        kind = FigureKind(True, 2, frozenset({"line chart"}))
        return Prediction(figure, self.version, (Subfigure("a", box, tokens),), (0.5,), Items(kind))


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / "images").mkdir(parents=True)
    Image.new("RGB", (80, 60), "white").save(tmp_path / "home" / "images" / "f1.png")
    (tmp_path / "home" / "images" / "broken.png").write_text("no image")
    (tmp_path / "secret.png").write_bytes((tmp_path / "home" / "images" / "f1.png").read_bytes())
    return tmp_path / "home"


@pytest.fixture
def client(home: Path, told: list[str]) -> FlaskClient:
    return create_app(Answers(Model(), ImageSource(home), told.append)).test_client()


def a_task(number: int = 1, *, figure: str = "f1", **more: Any) -> dict[str, Any]:
    data = {**task_data(a_figure(figure, image="images/f1.png", caption="(A) left. (B) right.")), **more}
    return {"id": number, "data": data, "project": 3}


def predicted(client: FlaskClient, *tasks: object, config: str = CONFIG) -> list[Any]:
    answer = client.post("/predict", json={"tasks": list(tasks), "project": "3.1", "label_config": config})
    assert answer.status_code == 200, answer.json
    return answer.json["results"]


def test_it_is_up_and_says_what_it_is(client: FlaskClient) -> None:
    assert client.get("/health").json == {"status": "UP", "model_class": "Panelwise"}
    assert client.get("/").json["status"] == "UP"
    assert client.get("/versions").json == {"versions": ["model-7"]}


def test_a_task_gets_a_prediction_that_label_studio_takes(client: FlaskClient) -> None:
    [found] = predicted(client, a_task())
    assert found["model_version"] == names.SHOWN_VERSION
    assert found["score"] == 0.5
    assert LabelInterface(CONFIG).validate_prediction(found, return_errors=True) == []
    box, *spans = found["result"]
    assert box["value"]["rectanglelabels"] == ["A"]
    assert (box["original_width"], box["original_height"]) == (80, 60)
    assert [(each["value"]["start"], each["value"]["end"]) for each in spans] == [(0, 9), (11, 20)]
    assert all(region[names.REGION_MODEL] == "model-7" for region in found["result"])


def test_a_project_of_single_spans_gets_the_longest_one(client: FlaskClient) -> None:
    extra = {"single_span": True}
    assert client.post("/setup", json={"project": "3.1", "schema": CONFIG, "extra_params": extra}).json == {
        "model_version": names.SHOWN_VERSION
    }
    [found] = predicted(client, a_task())
    assert len(found["result"]) == 2
    client.post("/setup", json={"project": "3.1", "schema": CONFIG, "extra_params": None})
    assert len(predicted(client, a_task())[0]["result"]) == 3


def test_a_project_of_figure_types_gets_them_filled_in(client: FlaskClient) -> None:
    [found] = predicted(client, a_task(), config=TYPES)
    values = {region["from_name"]: region["value"] for region in found["result"]}
    assert values[names.TYPES] == {"choices": ["line chart"]}
    assert values[names.COMPOUND] == {"choices": [names.COMPOUND_YES]}
    assert LabelInterface(TYPES).validate_prediction(found, return_errors=True) == []


def test_what_cannot_be_done_is_told_and_costs_no_other_task(client: FlaskClient, told: list[str]) -> None:
    found = predicted(
        client,
        a_task(1, figure="bad"),
        a_task(2, image="/data/local-files/?d=images/broken.png"),
        a_task(3, image="/data/local-files/?d=images/missing.png"),
        a_task(4, caption=["no", "text"]),
        a_task(5, image=None),
        {"id": 6},
        "task",
        a_task(8),
    )
    assert [bool(each) for each in found] == [False] * 7 + [True]
    assert found[0] == []
    for line, part in zip(
        told,
        (
            "task 1: the model failed on it (RuntimeError: weights of lead, at ",
            "broken.png: is no image that can be read",
            "missing.png: no such image",
            'task 4: "caption" is no text',
            'task 5: no "image" in its data',
            "task 6: has no data",
            "a task: has no data",
        ),
        strict=True,
    ):
        assert part in line


@pytest.mark.parametrize(
    "address",
    [
        "/data/local-files/?d=../secret.png",
        "/data/local-files/?d=images/../../secret.png",
        "/data/local-files/?d=images/%2e%2e/%2e%2e/secret.png",
        "/data/local-files/?d={root}/secret.png",
        "/data/local-files/?d=",
        "http://127.0.0.1:9/data/local-files/?d=images/f1.png",
        "//elsewhere/data/local-files/?d=images/f1.png",
        "file:///etc/passwd",
        "images/f1.png",
    ],
)
def test_no_file_or_server_but_those_named_is_asked(home: Path, address: str) -> None:
    with pytest.raises(AnnotatorError):
        ImageSource(home).image(address.format(root=home.parent))


def test_images_may_be_asked_of_label_studio(site: Site, home: Path) -> None:
    site.answers["/data/f1.png"] = [sends((home / "images" / "f1.png").read_bytes())]
    site.answers["/gone.png"] = [sends(b"", 403)]
    source = ImageSource(studio=site.url, token="t0k3n")
    assert source.image("/data/f1.png").size == (80, 60)
    assert source.image(f"{site.url}/data/f1.png").size == (80, 60)
    assert [headers["Authorization"] for _, headers in site.asked] == ["Token t0k3n"] * 2
    with pytest.raises(SyncError, match="answers 403; check the token"):
        source.image("/gone.png")
    with pytest.raises(FormatError, match="larger than images may be"):
        ImageSource(studio=site.url, limits=ImageLimits(max_bytes=10)).image("/data/f1.png")
    with pytest.raises(FormatError, match="is not served by"):
        source.image("http://elsewhere.example/f1.png")
    with pytest.raises(SyncError, match="cannot be fetched"):
        ImageSource(studio="http://127.0.0.1:9").image("/f1.png")


def test_a_task_without_a_source_is_named_by_its_number() -> None:
    figure = figure_of_task({names.DATA_CAPTION: None}, Image.new("L", (4, 3)), "task 9")
    assert (figure.id, figure.width, figure.caption.text) == ("task 9", 4, "")


def basic(user: str, word: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{word}".encode()).decode()}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        (basic(USER, "open sesame"), 200),
        ({"Authorization": "Bearer open sesame"}, 200),
        (basic(USER, "open"), 401),
        (basic("other", "open sesame"), 401),
        (basic(USER, "öffne dich"), 401),
        ({"Authorization": "Basic ???"}, 401),
        ({"Authorization": "Bearer "}, 401),
        ({"Authorization": "Digest open sesame"}, 401),
    ],
)
def test_with_a_password_only_who_gives_it_is_answered(home: Path, headers: dict[str, str], status: int) -> None:
    client = create_app(Answers(Model(), ImageSource(home), print), password="open sesame").test_client()
    assert client.get("/versions", headers=headers).status_code == status
    assert client.post("/setup", json={"schema": CONFIG}, headers=headers).status_code == status
    assert client.get("/health").status_code == 200


@pytest.mark.parametrize("kind", ["Bearer", "Token"])
def test_a_password_sent_as_a_token_may_have_an_equals_sign(home: Path, kind: str) -> None:
    client = create_app(Answers(Model(), ImageSource(home), print), password="a=b").test_client()
    assert client.get("/versions", headers={"Authorization": f"{kind} a=b"}).status_code == 200
    assert client.get("/versions", headers={"Authorization": f"{kind} a=c"}).status_code == 401


@pytest.mark.parametrize(
    ("path", "sent", "part"),
    [
        ("/setup", b"", "no JSON object"),
        ("/setup", b"[]", "no JSON object"),
        ("/setup", b"{}", '"schema" is no text'),
        ("/setup", b'{"schema": "<View>"}', "is no XML"),
        ("/setup", b'{"schema": "<!DOCTYPE x><View/>"}', "document type"),
        ("/setup", b'{"schema": "<View/>"}', "only projects made by `annotator push`"),
        ("/predict", b'{"tasks": {}, "label_config": "<View/>"}', '"tasks" is no list'),
        ("/predict", b'{"tasks": []}', '"label_config" is no text'),
        ("/predict", b"\xff\xfe", "no JSON object"),
        ("/predict", b"[" * 100_000, "nested too deeply"),
        ("/setup", b'{"schema":' * 100_000, "nested too deeply"),
        ("/predict", b'{"tasks": ' + b"9" * 5000 + b"}", "no JSON object"),
        ("/setup", b'{"schema": "<View>\\ud800</View>"}', "is no XML"),
        ("/setup", b'{"schema": "' + b"<View>" * 10_000 + b'"}', "is no XML"),
    ],
)
def test_a_request_that_is_none_is_refused_in_one_line(
    client: FlaskClient, path: str, sent: bytes, part: str
) -> None:
    answer = client.post(path, data=sent)
    assert answer.status_code == 400
    assert part in answer.json["error"]


def test_a_page_that_is_not_there_is_told_as_json(client: FlaskClient) -> None:
    assert client.get("/nothing").status_code == 404
    assert "error" in client.get("/predict").json


def test_a_webhook_trains_nothing(client: FlaskClient) -> None:
    answer = client.post("/webhook", json={"action": "START_TRAINING"})
    assert answer.status_code == 200
    assert "prelabel train" in answer.json["message"]


def test_the_server_answers_on_its_port_and_one_that_is_taken_is_told(home: Path) -> None:
    answers = Answers(Model(), ImageSource(home), print)
    with ModelServer(answers) as server:
        with httpx.Client(trust_env=False, timeout=600) as visitor:
            assert visitor.get(f"{server.url}/health").json()["status"] == "UP"
        with pytest.raises(AnnotatorError, match="give another with --port"):
            ModelServer(answers, port=int(server.url.rpartition(":")[2]))


def test_requests_at_once_go_through_the_model_one_at_a_time(home: Path) -> None:
    class Slow(Model):
        inside = most = 0

        def predict(self, figure: Figure, image: Image.Image) -> Prediction:
            self.inside += 1
            self.most = max(self.most, self.inside)
            threading.Event().wait(0.02)
            self.inside -= 1
            return super().predict(figure, image)

    slow = Slow()
    answers = Answers(slow, ImageSource(home), print)
    threads = [threading.Thread(target=answers.predictions, args=([a_task()], CONFIG)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert slow.most == 1


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    thread = threading.Thread(target=site.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield site
    site.server.shutdown()
    site.server.server_close()
    thread.join()
