"""All settings, in one file. Every environment variable is read here and nowhere else."""

from pathlib import Path

import dj_database_url

from config import environment, storage
from config.embedded import postgres, secrets, valkey

BASE_DIR = Path(__file__).resolve().parent.parent

DEBUG = environment.flag("INQUEST_DEBUG", default=False)
SECRET_KEY = environment.text("INQUEST_SECRET_KEY") or secrets.secret("secret_key")
ALLOWED_HOSTS = environment.names("INQUEST_HOSTS", "127.0.0.1,localhost,[::1]")
CSRF_TRUSTED_ORIGINS = environment.names("INQUEST_ORIGINS")

# An Ed25519 private key in PEM; empty means one of our own in the state folder.
SIGNING_KEY_FILE = environment.text("INQUEST_SIGNING_KEY_FILE")

# Bytes. What one uploaded file may hold once inflated, and what one request may carry.
MAX_DOCUMENT_BYTES = environment.whole_number("INQUEST_MAX_DOCUMENT_BYTES", default=256 * 2**20)
# Above this an upload is answered once it is stored, and read by a worker.
READ_AT_ONCE_BYTES = environment.whole_number("INQUEST_READ_AT_ONCE_BYTES", default=4 * 2**20)
MAX_STEPS = environment.whole_number("INQUEST_MAX_STEPS", default=100_000)
# What one OTLP request may hold once inflated, and how many spans of a project may wait.
MAX_BATCH_BYTES = environment.whole_number("INQUEST_MAX_BATCH_BYTES", default=64 * 2**20)
MAX_WAITING_SPANS = environment.whole_number("INQUEST_MAX_WAITING_SPANS", default=500_000)
# Seconds. A trace is read when its root ended and nothing came for the first, or after the second.
TRACE_QUIET_SECONDS = environment.whole_number("INQUEST_TRACE_QUIET_SECONDS", default=5)
TRACE_TIMEOUT_SECONDS = environment.whole_number("INQUEST_TRACE_TIMEOUT_SECONDS", default=600)
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_DOCUMENT_BYTES
DATA_UPLOAD_MAX_NUMBER_FILES = 500
FILE_UPLOAD_MAX_MEMORY_SIZE = 2 * 2**20

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "django_htmx",
    "pgtrigger",
    "rest_framework",
    "drf_spectacular",
    "traces",
    "attribution",
    "reviews",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "config.security.ContentSecurityPolicy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "reviews.navigation.project_navigation",
            ],
            "builtins": ["traces.templatetags.record"],
        },
    }
]

DATABASE_URL = environment.text("DATABASE_URL")
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        **(dj_database_url.parse(DATABASE_URL) if DATABASE_URL else postgres.connection_settings()),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CELERY_BROKER_URL = environment.text("CELERY_BROKER_URL") or valkey.broker_url()

AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("MinimumLengthValidator", "CommonPasswordValidator", "NumericPasswordValidator")
]
ACCOUNT_ADAPTER = "reviews.accounts.ClosedAccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_ON_GET = False
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "reviews:home"
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"

SECURE_TLS = environment.flag("INQUEST_TLS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_TLS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if SECURE_TLS else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# Stored and computed in UTC; templates write the zone beside every time.
USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False
LANGUAGE_CODE = "en-gb"

# Payloads lie in the database, or in the bucket that is named here.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    **storage.of_payloads(
        bucket=environment.text("INQUEST_PAYLOAD_BUCKET"),
        endpoint=environment.text("INQUEST_PAYLOAD_ENDPOINT"),
    ),
}

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# No STATIC_ROOT: files are served from where they stand, without a build step.
WHITENOISE_USE_FINDERS = True
WHITENOISE_MAX_AGE = 0 if DEBUG else 300

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "traces.api.authentication.ApiKeyAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["traces.api.bodies.Json", "rest_framework.parsers.FormParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.LimitOffsetPagination",
    "PAGE_SIZE": 100,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Inquest",
    "DESCRIPTION": "Runs in, candidates in, signed verdicts out.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    # Fields of one name with different words, and different names for the same words.
    "ENUM_NAME_OVERRIDES": {
        "RunOutcomeEnum": ["failed", "succeeded", "unknown"],
        "ClaimOutcomeEnum": "reviews.models.Claim.Outcome",
        "ApparatusEnum": "reviews.models.Claim.Apparatus",
    },
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
}
