"""The names of `agreement.reading` for other packages; `__init__.py` reads this file."""

from agreement.reading.decoding import decode_annotations as decode_annotations
from agreement.reading.joining import joined as joined
from agreement.reading.parquet import articles_in_memory as articles_in_memory
from agreement.reading.parquet import line_numbers as line_numbers
from agreement.reading.parquet import parquet_columns as parquet_columns
from agreement.reading.raw_panels import raw_annotation_of as raw_annotation_of
from agreement.reading.raw_panels import read_raw_annotations as read_raw_annotations
from agreement.reading.raw_panels import read_raw_medicat as read_raw_medicat
from agreement.reading.raw_panels import read_raw_predictions as read_raw_predictions
from agreement.reading.rows import at_hand as at_hand
