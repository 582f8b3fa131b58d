"""The names of `agreement.resampling` for other packages; `__init__.py` reads this file."""

from agreement.resampling.clusters import Measure as Measure
from agreement.resampling.clusters import Part as Part
from agreement.resampling.clusters import Ratio as Ratio
from agreement.resampling.clusters import compare_clusters as compare_clusters
from agreement.resampling.clusters import ratios as ratios
from agreement.resampling.draws import Interval as Interval
