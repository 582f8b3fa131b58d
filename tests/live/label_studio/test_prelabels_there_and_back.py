"""The pre-labeller's boxes and spans, sent to a real Label Studio and read back."""

from __future__ import annotations

import pytest

from annotator.campaign.home import DEFAULT_LABELS
from annotator.campaign.palette import on_palette
from annotator.label_studio.client import LabelStudioServer
from annotator.label_studio.payload.figures import prediction_payload, task_data
from annotator.label_studio.payload.reading import pulled, submitted
from label_config import names, subfigure_config
from panelwise.domain.campaign import Phase
from panelwise_simulator.figures import SimulatedFigure
from prelabel.classic.prelabeller import CLASSIC

pytestmark = pytest.mark.live

CONFIG = subfigure_config(list(DEFAULT_LABELS))


@pytest.mark.slow
def test_pre_labels_come_back_from_the_real_server_as_they_went(
    real: LabelStudioServer, six: list[SimulatedFigure]
) -> None:
    """As a prediction, and as the annotation that an annotator makes of it by submitting it unchanged."""
    project = real.create_project("prelabels", "a mark", CONFIG)
    try:
        sent = [
            on_palette(CLASSIC.predict(each.figure(f"images/{each.image_name}"), each.image), DEFAULT_LABELS,
                       spare=True)
            for each in six
        ]  # fmt: skip
        tasks = [
            {"data": task_data(each.figure, seed=each.model_version), "predictions": [prediction_payload(each)]}
            for each in sent
        ]
        assert real.import_tasks(project.id, tasks).predictions == len(sent)
        back = {task["data"][names.DATA_SOURCE]: task for task in real.tasks(project.id)}
        for task in tasks:
            found = back[task["data"][names.DATA_SOURCE]]
            # Count what was made: the server has its ways of dropping rows in silence.
            [prediction] = found["predictions"]
            assert prediction["result"] == task["predictions"][0]["result"]
            assert prediction["score"] == pytest.approx(task["predictions"][0]["score"])
            real.add_annotation(
                found["id"], {"result": prediction["result"], "parent_prediction": prediction["id"]}
            )
        for task in real.tasks(project.id):
            [each] = [
                own for own in sent if names.task_source(own.figure.id, 1) == task["data"][names.DATA_SOURCE]
            ]
            record = submitted(task).record
            assert record is not None
            work = pulled(task, record, each.figure, annotator="ann1", phase=Phase("1"))
            assert work.findings == work.left_out == ()
            assert work.annotation.seeded_by == each.model_version
            by_label = {subfigure.label: subfigure for subfigure in work.annotation.subfigures}
            assert set(by_label) == {subfigure.label for subfigure in each.subfigures}
            for subfigure in each.subfigures:
                assert by_label[subfigure.label].subcaption == subfigure.subcaption
                assert by_label[subfigure.label].box.as_list() == pytest.approx(subfigure.box.as_list(), abs=1e-3)
    finally:
        real.delete_project(project.id)
