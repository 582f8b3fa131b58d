"""The names of `prelabel.assistant` for other packages; `__init__.py` reads this file."""

from prelabel.assistant.assisted import AssistedEngine as AssistedEngine
from prelabel.assistant.assisted import packaged_prompt as packaged_prompt
from prelabel.assistant.server import ChatServer as ChatServer
