"""Settings of the project: one file, values from the environment; a wrong value stops the start."""

import os
from pathlib import Path

from config.database import database_from
from config.logs import logging_settings
from config.queue import queue_settings

BASE_DIR = Path(__file__).resolve().parent.parent
# Everything that an installation writes: database, queue, logs, keys.
VAR_DIR = Path(os.environ.get("DECODECK_VAR") or BASE_DIR / "var")
SECRET_KEY = os.environ.get("SECRET_KEY", "replaced-soon")
DEBUG = False
ALLOWED_HOSTS = ["localhost", "127.0.0.1"]
INSTALLED_APPS = [
    "config",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "access",
    "planner",
    "fleet",
    "ops",
]
MIDDLEWARE = [
    "config.middleware.RequestLogMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]
ROOT_URLCONF = "config.urls"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": [BASE_DIR / "templates"], "APP_DIRS": False, "OPTIONS": {"context_processors": ["django.template.context_processors.request"]}}]
DATABASES = {
    "default": database_from(os.environ.get("DATABASE_URL", ""), default_file=VAR_DIR / "decodeck.sqlite3")
}
globals().update(queue_settings(os.environ.get("REDIS_URL", ""), folder=VAR_DIR / "queue"))
LOGGING_CONFIG = "logging.config.dictConfig"
LOGGING = logging_settings(os.environ.get("LOG_LEVEL", "INFO"))
WSGI_APPLICATION = "config.wsgi.application"
AUTH_USER_MODEL = "access.User"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LANGUAGE_CODE = "en"
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_TZ = True
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Static files are served from where they lie: no collecting step, and nothing to forget after an upgrade.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
