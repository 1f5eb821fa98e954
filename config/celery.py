"""The Celery application of the worker, of the scheduler and of whoever wakes them."""

import os

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

from config.queue import FOLDER_SCHEME

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
TRANSPORT_ALIASES[FOLDER_SCHEME] = "config.transport:Transport"

app = Celery("decodeck")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
