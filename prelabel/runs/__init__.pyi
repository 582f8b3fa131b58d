"""The names of `prelabel.runs` for other packages; `__init__.py` reads this file."""

from prelabel.runs.engines import ClassicEngine as ClassicEngine
from prelabel.runs.engines import Engine as Engine
from prelabel.runs.engines import PlainEngine as PlainEngine
from prelabel.runs.engines import Slot as Slot
from prelabel.runs.engines import engine_of as engine_of
from prelabel.runs.figure_model import FigureModel as FigureModel
from prelabel.runs.journal import WHOLE as WHOLE
from prelabel.runs.journal import Journal as Journal
from prelabel.runs.journal import Shard as Shard
from prelabel.runs.opening import CLASSIC_NAME as CLASSIC_NAME
from prelabel.runs.opening import SHIPPED_FOLDER as SHIPPED_FOLDER
from prelabel.runs.opening import Recipe as Recipe
from prelabel.runs.opening import default_detector as default_detector
from prelabel.runs.opening import need_models as need_models
from prelabel.runs.opening import open_classifier as open_classifier
from prelabel.runs.opening import open_detector as open_detector
from prelabel.runs.opening import open_tagger as open_tagger
from prelabel.runs.opening import parts_of as parts_of
from prelabel.runs.overlays import WithOverlays as WithOverlays
from prelabel.runs.overlays import open_folder as open_folder
from prelabel.runs.predict import Job as Job
from prelabel.runs.predict import Prelabeller as Prelabeller
from prelabel.runs.predict import figure_of as figure_of
from prelabel.runs.predict import images_read as images_read
from prelabel.runs.predict import open_job as open_job
from prelabel.runs.ray_engine import RayEngine as RayEngine
