"""The formats of `annotator export`. To add one, add a module to this folder and a row here."""

from __future__ import annotations

from annotator.gold.exports.annotations import EXPORT as ANNOTATIONS
from annotator.gold.exports.coco import EXPORT as COCO
from annotator.gold.exports.decisions import EXPORT as DECISIONS
from annotator.gold.exports.figures import EXPORT as FIGURES
from annotator.gold.exports.flags import EXPORT as FLAGS
from annotator.gold.exports.gold import EXPORT as GOLD
from annotator.gold.exports.items import QA, TYPES
from annotator.gold.exports.label_studio import EXPORT as LABEL_STUDIO
from annotator.gold.exports.panels import EXPORT as PANELS
from annotator.gold.exports.scivqa import EXPORT as SCIVQA
from annotator.gold.exports.web_annotation import EXPORT as WEB_ANNOTATION
from annotator.gold.exports.yolo import EXPORT as YOLO

#: In the order in which the lead's form offers them.
EXPORTS = (
    GOLD,
    ANNOTATIONS,
    FIGURES,
    COCO,
    YOLO,
    LABEL_STUDIO,
    QA,
    TYPES,
    DECISIONS,
    FLAGS,
    SCIVQA,
    PANELS,
    WEB_ANNOTATION,
)
