"""A campaign's lead in tests: a client who is signed in, jobs to wait for, files to send."""

from __future__ import annotations

import time

from flask.testing import FlaskClient

from annotator.campaign.home import Home
from annotator.jobs.folders import JobState
from annotator.jobs.jobs import Job, job_of, jobs_of
from annotator.store.store import Store
from annotator.web.factory import create_app

PASSWORD = "correct horse battery"


def client(home: Home, store: Store, name: str = "lea") -> FlaskClient:
    app = create_app(home, store)
    app.config["WTF_CSRF_ENABLED"] = False
    visitor = app.test_client()
    visitor.post("/login", data={"name": name, "password": PASSWORD})
    return visitor


def ended(home: Home) -> Job:
    (job,) = jobs_of(home)
    for _ in range(6000):
        if job.state is not JobState.RUNNING:
            return job
        time.sleep(0.02)
        job = job_of(home, job.number)
    raise AssertionError(job.log())


def version_of(page: str) -> str:
    return page.partition('name="version" value="')[2].partition('"')[0]


def send(lead: FlaskClient, files: dict[str, bytes]) -> str:
    upload = lead.post("/campaign/uploads").get_json()["upload"]
    for name, content in files.items():
        for start in range(0, len(content) or 1, 1 << 19):
            piece = content[start : start + (1 << 19)]
            sent = lead.post(f"/campaign/uploads/{upload}?name={name}&offset={start}", data=piece)
            assert sent.status_code == 200, sent.get_json()
    return f"/campaign/uploads/{upload}"
