"""Settings of the project: one file, values from the environment; a wrong value stops the start."""

import os
from pathlib import Path

from config.database import database_from
from config.env import envbool, envint, envlist, envread, envsecret
from config.keys import encryption_keys, key_from_file, new_secret_key
from config.logs import logging_settings
from config.queue import queue_settings
from config.security import CONTENT_POLICY, NO_DEVICES, address_settings, public_address

BASE_DIR = Path(__file__).resolve().parent.parent
# Everything that an installation writes: database, queue, logs, keys.
VAR_DIR = Path(os.environ.get("DECODECK_VAR") or BASE_DIR / "var")
# Made on the first start and kept outside the database: a copied database alone opens nothing.
SECRET_KEY = envsecret("SECRET_KEY") or key_from_file(
    VAR_DIR / "secret_key", make=new_secret_key, variable="SECRET_KEY"
)
ENCRYPTION_KEYS = encryption_keys(
    envsecret("DECODECK_ENCRYPTION_KEY"), path=VAR_DIR / "encryption_key", variable="DECODECK_ENCRYPTION_KEY"
)
DEBUG = False
PUBLIC_ADDRESS = envread("DECODECK_URL", public_address)
TRUSTED_PROXIES = envint("DECODECK_TRUSTED_PROXIES", default=0, low=0, high=10)
globals().update(
    envread(
        "DECODECK_URL",
        lambda _text: address_settings(
            PUBLIC_ADDRESS,
            hosts=envlist("DECODECK_HOSTS", default=[]),
            plain_http=envbool("DECODECK_INSECURE_HTTP"),
            trusted_proxies=TRUSTED_PROXIES,
        ),
    )
)
# Host names, `.suffixes` and networks that we may call; a private address only by its network.
OUTGOING_ALLOWED = envlist("DECODECK_OUTGOING_ALLOW", default=[])
INSTALLED_APPS = [
    "config",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "django_filters",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "access",
    "planner",
    "fleet",
    "ops",
]
MIDDLEWARE = [
    "config.middleware.RequestLogMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "access.middleware.SecurityHeadersMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    # Both before the first layer that reads a body, which is the next one: nobody makes us read, and keep on disk,
    # an upload that is too large or not theirs to send. What a view declares is checked when all layers were entered,
    # so that who asks is known.
    "access.middleware.BodyLimitMiddleware",
    "access.middleware.AccessMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "access.middleware.PreferencesMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "config.urls"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
DATABASES = {
    "default": envread(
        "DATABASE_URL",
        lambda url: database_from(url, default_file=VAR_DIR / "decodeck.sqlite3"),
        environ={"DATABASE_URL": envsecret("DATABASE_URL")},
    )
}
REDIS_URL = envsecret("REDIS_URL")
globals().update(
    envread(
        "REDIS_URL",
        lambda url: queue_settings(url, folder=VAR_DIR / "queue"),
        environ={"REDIS_URL": REDIS_URL},
    )
)
LOGGING = envread("LOG_LEVEL", logging_settings)
WSGI_APPLICATION = "config.wsgi.application"
EMAIL_HOST = os.environ.get("DECODECK_SMTP_HOST", "")
EMAIL_PORT = envint("DECODECK_SMTP_PORT", default=587, low=1, high=65_535)
EMAIL_HOST_USER = os.environ.get("DECODECK_SMTP_USER", "")
EMAIL_HOST_PASSWORD = envsecret("DECODECK_SMTP_PASSWORD")
EMAIL_USE_TLS = envbool("DECODECK_SMTP_STARTTLS", default=True)
EMAIL_TIMEOUT = 30
DEFAULT_FROM_EMAIL = os.environ.get("DECODECK_MAIL_FROM", "decodeck@localhost")
AUTH_USER_MODEL = "access.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "access:sign_in"
LOGIN_REDIRECT_URL = "/"
SESSION_COOKIE_HTTPONLY = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = CONTENT_POLICY
PERMISSIONS_POLICY = NO_DEVICES
# Whether the whole of a domain goes onto the browsers' preload list is its owner's decision, not ours.
SILENCED_SYSTEM_CHECKS = ["security.W021"]
CSRF_FAILURE_VIEW = "access.problems.csrf_failure"
# The first prefix that a path starts with decides; the last one is for all the rest.
BODY_LIMITS_BYTES = [
    ("/api/v1/estimates", 12_000_000),
    ("/api/v1/length-logs", 12_000_000),
    ("/api/v1/quotes", 4_000_000),
    ("/api/v1/model-imports", 12_000_000),
    ("/lengths/new/", 66_000_000),
    ("/catalog/models/import/keep/", 6_000_000),
    ("/catalog/models/import/", 66_000_000),
    ("/buy/quotes/import/", 10_000_000),
    ("", 1_000_000),
]
# What of a body is held in memory; an uploaded file goes to disk.
DATA_UPLOAD_MAX_MEMORY_SIZE = 12_000_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 300
DATA_UPLOAD_MAX_NUMBER_FILES = 301  # checkpoints come in as many
ESTIMATES_PER_CALL = 1_000
RECOMMENDATIONS_PER_CALL = 4
LIMITS_PER_CALL = 20
COSTS_PER_CALL = 100
FITS_PER_CALL = 2
CHECKS_PER_CALL = 100
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "access.tokens.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["access.permissions.DenyUndeclared"],
    "DEFAULT_THROTTLE_CLASSES": ["access.counters.CallThrottle"],
    "DEFAULT_PARSER_CLASSES": ["access.strict_json.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "access.described.DescribedView",
    "EXCEPTION_HANDLER": "access.problems.exception_handler",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Decodeck",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "POSTPROCESSING_HOOKS": [
        "planner.schemas.components.name_components",
        "planner.schemas.components.show_answers",
    ],
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PUBLIC": True,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LANGUAGE_CODE = "en"
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Static files are served from where they lie: no collecting step, and nothing to forget after an upgrade.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
