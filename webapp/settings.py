"""Django's settings. Everything that differs between installations is an environment variable (docs/operations.md)."""

import os
from pathlib import Path

import dj_database_url
from csp.constants import NONE, SELF

from webapp import logs
from webapp.local import folder, servers

BASE_DIR = Path(__file__).resolve().parent.parent
DATA = folder.data()  # all state: see docs/architecture.md
FILES = DATA / "files"

DEBUG = os.environ.get("TOPOGRAPH_DEBUG", "") == "1"
SECRET_KEY = os.environ.get("TOPOGRAPH_SECRET_KEY") or folder.secret_key()
LOOPBACK = ["127.0.0.1", "localhost", "[::1]"]
ALLOWED_HOSTS = [h for h in os.environ.get("TOPOGRAPH_HOSTS", "").split(",") if h] or LOOPBACK
CSRF_TRUSTED_ORIGINS = [f"https://{h}" for h in ALLOWED_HOSTS if h[0].isalpha()]

# Off: one local owner without a password, and nothing is answered that comes from another machine (webapp.access).
ACCOUNTS = os.environ.get("TOPOGRAPH_ACCOUNTS", "") == "1"

INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "csp",
    "django_structlog",
    "webapp",
]
MIDDLEWARE = [
    "webapp.requests.Requests",
    "webapp.headers.headers",
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "csp.middleware.CSPMiddleware",
    "webapp.gate.gate",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "webapp.errors.ErrorPages",
]
ROOT_URLCONF = "webapp.urls"
ASGI_APPLICATION = "webapp.asgi.application"
SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"  # flash messages and a reader's name: nothing to store
SESSION_COOKIE_AGE = 365 * 24 * 3600  # a name that is given once
MESSAGE_STORAGE = "django.contrib.messages.storage.cookie.CookieStorage"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# Servers ---------------------------------------------------------------------------------------------------------
DATABASE_URL, REDIS_URL = servers.urls()
DATABASES = {"default": dj_database_url.parse(DATABASE_URL)}
DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = False
# A database that is away is noticed within seconds (libpq's names; tcp_user_timeout in milliseconds), and what it broke is not used again.
DATABASES["default"].setdefault("OPTIONS", {}).update(connect_timeout=5, keepalives_idle=20, tcp_user_timeout=30_000)
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
if os.environ.get("TOPOGRAPH_POOL") == "1":  # set by webapp.asgi: a worker's children must not share a pool
    # webapp.gate lets in fewer. Attempts to connect anew are given up soon, so that the next request makes one.
    DATABASES["default"]["OPTIONS"]["pool"] = {"min_size": 2, "max_size": 24, "timeout": 4, "reconnect_timeout": 2}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_IGNORE_RESULT = True
# A task is acknowledged when it starts: rows in Postgres, not the broker, say what is still to be done (tasks/sweep.py).
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_TASKS_PER_CHILD = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Who sends while the broker is away does not wait for it (the sweep sends later); a worker's own connection has retries of its own.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_timeout": 10, "socket_connect_timeout": 5, "retry_on_timeout": True, "max_retries": 1, "interval_start": 0, "interval_max": 0.2,
}  # fmt: skip
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False

# Pages -----------------------------------------------------------------------------------------------------------
LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"
USE_THOUSAND_SEPARATOR = True
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = DATA / "static"
SERVESTATIC_USE_FINDERS = True  # straight from static/: no build step
SERVESTATIC_MAX_AGE = 0 if DEBUG else 60

# Safety (docs/security.md) -----------------------------------------------------------------------------------------
# Whether readers reach the site by https: where it has a name of its own and accounts, unless TOPOGRAPH_HTTPS says otherwise.
# Then cookies are only sent over it, plain http is sent there, and browsers remember that for a year.
HTTPS = os.environ.get("TOPOGRAPH_HTTPS", "1" if ACCOUNTS and not set(ALLOWED_HOSTS) <= set(LOOPBACK) else "0") == "1"
SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
if not HTTPS and set(ALLOWED_HOSTS) <= set(LOOPBACK):  # nobody listens between a browser and its own machine
    SILENCED_SYSTEM_CHECKS = ["security.W004", "security.W008", "security.W012", "security.W016"]
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]  # asked for by machines beside this one
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
if HTTPS:  # such names are only taken from https, for this host and no other: a neighbouring site can't set them
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-session", "__Host-csrf"
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],  # Plotly's own rules are a file: templates/_charts.html
        "font-src": [SELF],
        "img-src": [SELF, "data:", "blob:"],  # a chart becomes a picture by way of these
        "connect-src": [SELF],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

# Uploads go straight to a file beside the place where they will stay, so that keeping them is a rename.
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.TemporaryFileUploadHandler"]
FILE_UPLOAD_TEMP_DIR = FILES / "uploads"
FILE_UPLOAD_TEMP_DIR.mkdir(parents=True, exist_ok=True)
DATA_UPLOAD_MAX_NUMBER_FILES = 20_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200
# In bytes: what one corpus's files may have together (0: anything), and what the disk keeps free (none: services.uploads chooses).
MAX_UPLOAD = int(os.environ.get("TOPOGRAPH_MAX_UPLOAD") or 0)
UPLOAD_PATIENCE = float(os.environ.get("TOPOGRAPH_UPLOAD_PATIENCE") or 30)  # seconds without a byte, after which a client is gone
DISK_RESERVE = int(os.environ["TOPOGRAPH_DISK_RESERVE"]) if os.environ.get("TOPOGRAPH_DISK_RESERVE") else None
# Days for which what is deleted can be brought back (services.deleting).
KEEP_DELETED = float(os.environ.get("TOPOGRAPH_KEEP_DELETED") or 7)

# Logs and metrics: docs/monitoring.md ------------------------------------------------------------------------------
LOGGING = logs.configure()
DJANGO_STRUCTLOG_CELERY_ENABLED = os.environ.get("TOPOGRAPH_POOL") == "1"  # what a request queues keeps its id; for workers tasks.celery says it
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False
METRICS_TOKEN = os.environ.get("TOPOGRAPH_METRICS_TOKEN", "")
