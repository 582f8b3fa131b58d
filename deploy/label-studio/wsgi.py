"""Label Studio's WSGI application, in which annotators reach their own projects only.

Mounted over core/wsgi.py in its container. The package `panelwise_isolation` is annotator/label_studio/isolation,
mounted into a folder that PYTHONPATH names; Label Studio's own code stays as it is.
"""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "core.settings.label_studio")

from django.conf import settings
from panelwise_isolation.install import install

install(settings)

from django.core.wsgi import get_wsgi_application  # noqa: E402

application = get_wsgi_application()
