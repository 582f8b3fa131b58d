"""Lists of tasks that change while they are read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from annotator.label_studio import listing


class Tasks:
    """A server's list of tasks, which `meanwhile` may change before each page."""

    def __init__(self, moments: Mapping[int, str]) -> None:
        self.moments = dict(moments)
        self.asked: list[dict[str, Any]] = []

    def meanwhile(self) -> None:
        pass

    def __call__(self, params: Mapping[str, Any]) -> Any:
        self.asked.append(dict(params))
        self.meanwhile()
        query = json.loads(params.get("query", "{}"))
        ids = set(query.get("selectedItems", {}).get("included", self.moments))
        chosen = sorted((moment, task) for task, moment in self.moments.items() if task in ids)
        for item in query.get("filters", {}).get("items", []):
            if item["operator"] == "greater":
                chosen = [each for each in chosen if each[0] > item["value"]]
            elif item["operator"] == "greater_or_equal":
                chosen = [each for each in chosen if each[0] >= item["value"]]
        start = (params["page"] - 1) * params["page_size"]
        page = chosen[start : start + params["page_size"]]
        return {
            "total": len(chosen),
            "total_annotations": len(chosen),
            "total_predictions": 0,
            "tasks": [
                {
                    "id": task,
                    "updated_at": moment,
                    "data": {"source_id": f"f{task}"},
                    "total_annotations": 0,
                    "cancelled_annotations": 0,
                }
                for moment, task in page
            ],
        }


def at(second: int) -> str:
    return f"2026-11-21T12:00:{second:02}.000000Z"


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "PAGE", 3)


def changed(tasks: Tasks, since: str | None = None) -> list[tuple[int, str]]:
    return [(mark.id, mark.updated_at) for mark, _ in listing.changes(tasks, 1, since)]


def test_all_are_told_once_in_the_order_in_which_they_changed() -> None:
    tasks = Tasks({task: at(50 - task) for task in range(10)})
    assert changed(tasks) == [(task, at(50 - task)) for task in reversed(range(10))]
    assert changed(tasks, at(47)) == [(2, at(48)), (1, at(49)), (0, at(50))]
    assert changed(tasks, at(50)) == []


@pytest.mark.parametrize("same", [2, 3, 4, 7, 9])
def test_more_of_one_moment_than_a_page_holds_are_all_told_once(same: int) -> None:
    tasks = Tasks({task: at(5) if task < same else at(6 + task) for task in range(10)})
    told = changed(tasks)
    assert sorted(told) == sorted(tasks.moments.items())


def test_a_task_that_changes_meanwhile_pushes_no_other_out_of_the_list() -> None:
    tasks = Tasks({task: at(task) for task in range(10)})

    def move_the_first() -> None:
        if len(tasks.asked) == 2:
            tasks.moments[0] = at(59)  # by numbers of pages, what was fourth would now be passed over

    tasks.meanwhile = move_the_first
    told = changed(tasks)
    assert {task for task, _ in told} == set(range(10))
    assert told.count((0, at(59))) == told.count((0, at(0))) == 1


def test_a_moment_without_a_fraction_of_a_second_sorts_with_the_others() -> None:
    tasks = Tasks({1: "2026-11-21T12:00:05Z"})
    assert changed(tasks) == [(1, at(5))]


def test_no_request_is_longer_than_servers_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "PAGE", 100)
    tasks = Tasks({task: at(5) for task in range(1, 901)})
    assert listing.count(tasks, 1, list(range(1, 901))).tasks == 900
    assert len(listing.marks(tasks, 1, list(range(1, 901)))) == 900
    listing.by_source(tasks, 1, [f"図 {number}" * 8 for number in range(100)])
    from urllib.parse import urlencode

    assert max(len(urlencode(params)) for params in tasks.asked) < 2500


def test_nothing_is_asked_for_no_tasks() -> None:
    tasks = Tasks({1: at(1)})
    assert listing.count(tasks, 1, []).tasks == 0
    assert listing.by_id(tasks, 1, []) == listing.by_source(tasks, 1, []) == listing.marks(tasks, 1, []) == []
    assert tasks.asked == []
