"""The names of `panelwise.images` for other packages; `__init__.py` reads this file."""

from panelwise.images.decode import Picture as Picture
from panelwise.images.decode import as_png as as_png
from panelwise.images.decode import picture_size as picture_size
from panelwise.images.decode import read_bytes as read_bytes
from panelwise.images.decode import read_picture as read_picture
from panelwise.images.fetch import Fetcher as Fetcher
from panelwise.images.fetch import is_url as is_url
from panelwise.images.fetch import shown_address as shown_address
from panelwise.images.placeholders import HEIGHT as HEIGHT
from panelwise.images.placeholders import PLACEHOLDER as PLACEHOLDER
from panelwise.images.placeholders import WIDTH as WIDTH
from panelwise.images.placeholders import placeholder as placeholder
