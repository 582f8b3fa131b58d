"""Lists of tasks from Label Studio's data manager, with requests that transfer only what is needed.

A list without annotations and predictions has a fifth of the size, though the server takes nearly as long. One
request counts how many of some hundred tasks still exist.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from annotator.annotation_server import TaskCount, TaskMark
from label_config import names

#: Asks for a page of the list of tasks: the request's parameters -> the answer's JSON.
Ask = Callable[[Mapping[str, Any]], Any]

PAGE = 100
#: Characters of ids or sources in one request: what stands in front of a server may take 4096 for all of it.
_MOST_CHARACTERS = 1800
_WHOLE = ("predictions", "annotations", "drafts")


def tasks(ask: Ask, project_id: int) -> Iterator[dict[str, Any]]:
    """Yield all tasks by id, with annotations and predictions."""
    for page in _pages(ask, project_id, {"ordering": ["tasks:id"]}, whole=True):
        yield from map(_whole, page)


def count(ask: Ask, project_id: int, task_ids: Sequence[int] | None) -> TaskCount:
    """Count the tasks of the project, or those of `task_ids` that exist."""
    queries = [{}] if task_ids is None else map(_of_ids, _fitting(task_ids))
    tasks = submitted = predictions = 0
    for query in queries:
        found = _page(ask, project_id, query, size=1)
        tasks += int(found["total"])
        submitted += int(found["total_annotations"])
        predictions += int(found["total_predictions"])
    return TaskCount(tasks, submitted, predictions)


def changes(
    ask: Ask, project_id: int, since: str | None, *, whole: bool = False
) -> Iterator[tuple[TaskMark, dict[str, Any]]]:
    """Yield tasks changed after `since`, in the order of their changes; whole: with annotations and predictions.

    Each page begins after the last task of the page before, not at an offset: a task that changes meanwhile moves
    to the end, and the tasks after it must not be skipped.
    """
    number = 1
    operator = "greater"
    told: set[int] = set()
    while True:
        query = {} if since is None else _where(_of_moment(operator, since))
        found = _page(ask, project_id, {**query, "ordering": ["tasks:updated_at"]}, number=number, whole=whole)
        marks = [_mark(task) for task in found["tasks"]]
        for mark, task in zip(marks, found["tasks"], strict=True):
            if mark.updated_at != since or mark.id not in told:
                yield mark, _whole(task)
        if number * PAGE >= int(found["total"]) or not marks:
            return
        last = marks[-1].updated_at
        at_last = {mark.id for mark in marks if mark.updated_at == last}
        # More tasks of one moment than a page holds: changed all at once.
        number, told = (number + 1, told | at_last) if last == since else (1, at_last)
        since, operator = last, "greater_or_equal"


def count_changed(ask: Ask, project_id: int, after: str, until: str) -> int:
    """Count the tasks that last changed after one time and not after the other."""
    query = _where(_of_moment("greater", after), _of_moment("less_or_equal", until))
    return int(_page(ask, project_id, query, size=1)["total"])


def marks(ask: Ask, project_id: int, task_ids: Sequence[int]) -> list[TaskMark]:
    """Return those of the tasks that exist, without annotations and predictions."""
    return [
        _mark(task)
        for ids in _fitting(task_ids)
        for page in _pages(ask, project_id, _of_ids(ids))
        for task in page
    ]


def by_id(ask: Ask, project_id: int, task_ids: Sequence[int]) -> list[dict[str, Any]]:
    """Return those of the tasks that exist, with annotations and predictions."""
    return [
        _whole(task)
        for ids in _fitting(task_ids)
        for page in _pages(ask, project_id, _of_ids(ids), whole=True)
        for task in page
    ]


def by_source(ask: Ask, project_id: int, sources: Sequence[str]) -> list[dict[str, Any]]:
    """Return the tasks of these sources by id, with annotations and predictions."""
    found = [
        _whole(task)
        for some in _fitting(sources)
        for page in _pages(
            ask, project_id, _where(_item(f"data.{names.DATA_SOURCE}", "in_list", "List", list(some))), whole=True
        )
        for task in page
    ]
    return sorted(found, key=lambda task: int(task["id"]))


def drafted(ask: Ask, project_id: int) -> frozenset[int]:
    """Return the ids of tasks with a draft of any account."""
    query = _where(_item("draft_exists", "equal", "Boolean", "true"))
    return frozenset(int(task["id"]) for page in _pages(ask, project_id, query) for task in page)


def _pages(
    ask: Ask, project_id: int, query: Mapping[str, Any], *, whole: bool = False
) -> Iterator[list[dict[str, Any]]]:
    number = 1
    while True:
        found = _page(ask, project_id, query, number=number, whole=whole)
        yield found["tasks"]
        if number * PAGE >= int(found["total"]):
            return
        number += 1


def _page(
    ask: Ask,
    project_id: int,
    query: Mapping[str, Any],
    *,
    number: int = 1,
    size: int | None = None,
    whole: bool = False,
) -> Any:
    params: dict[str, Any] = {"project": project_id, "page": number, "page_size": size or PAGE}
    if query:
        params["query"] = _text(query)
    if whole:
        params["fields"] = "all"
    return ask(params)


def _of_ids(ids: Sequence[int]) -> dict[str, Any]:
    return {"selectedItems": {"all": False, "included": list(ids)}, "ordering": ["tasks:id"]}


def _of_moment(operator: str, moment: str) -> dict[str, Any]:
    return _item("updated_at", operator, "Datetime", moment)


def _item(what: str, operator: str, kind: str, value: object) -> dict[str, Any]:
    return {"filter": f"filter:tasks:{what}", "operator": operator, "type": kind, "value": value}


def _where(*items: Mapping[str, Any]) -> dict[str, Any]:
    return {"filters": {"conjunction": "and", "items": list(items)}, "ordering": ["tasks:id"]}


def _fitting(values: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield the values in pieces that fit into a request; none if empty: an empty list requests every task."""
    piece: list[Any] = []
    length = 0
    for value in values:
        more = len(quote(_text(value), safe="")) + 3
        if piece and (length + more > _MOST_CHARACTERS or len(piece) == PAGE * 2):
            yield piece
            piece, length = [], 0
        piece.append(value)
        length += more
    if piece:
        yield piece


def _text(query: object) -> str:
    return json.dumps(query, separators=(",", ":"), ensure_ascii=False)


def _mark(task: Mapping[str, Any]) -> TaskMark:
    moment = datetime.fromisoformat(str(task["updated_at"])).astimezone(UTC)
    return TaskMark(
        int(task["id"]),
        # A moment without a fraction of a second comes without one, which would not sort.
        moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        str((task["data"] or {}).get(names.DATA_SOURCE, "")),
        int(task["total_annotations"] or 0),
        int(task["cancelled_annotations"] or 0),
    )


def _whole(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a task that the services read."""
    return {
        "id": int(task["id"]),
        "data": task.get("data") or {},
        **{key: task.get(key) or [] for key in _WHOLE},
    }
