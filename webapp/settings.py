"""Django's settings. Everything that differs between installations is an environment variable
(docs/operations.md)."""

import os
from pathlib import Path
from urllib.parse import unquote, urlsplit

import allauth
import dj_database_url
import redis
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from kombu import Exchange, Queue
from redis.backoff import NoBackoff
from redis.retry import Retry

from webapp.platform import logs
from webapp.platform.local import folder, package, servers
from webapp.platform.server import database_timeout
from webapp.platform.storage import s3


def _whole_number(name: str) -> int | None:
    """What a variable of the environment says; None where it is not set, or empty."""
    value = os.environ.get(name)
    return int(value) if value else None


BASE_DIR = Path(__file__).resolve().parent.parent
DATA = folder.data()  # all state: see docs/architecture.md
FILES = DATA / "files"
# Where sealed files are (docs/storage.md): a store beside the state folder, how many bytes of it
# are kept here, whether this machine sees the files that were uploaded, and the seconds for which a
# page waits for a file of the store.
try:
    STORE = s3.read_address(os.environ)
except ValueError as error:
    raise ImproperlyConfigured(str(error)) from None
STORE_CACHE = int(os.environ.get("TOPOGRAPH_STORE_CACHE") or 20_000_000_000)
COPIES = FILES / "copies"
SOURCES = (os.environ.get("TOPOGRAPH_SOURCES") or "1") == "1"
if not SOURCES and STORE is None:
    raise ImproperlyConfigured(
        "TOPOGRAPH_SOURCES=0 says that this machine does not see the uploaded files; then it needs"
        " TOPOGRAPH_STORE."
    )
FETCH_PATIENCE = 8.0 if os.environ.get("TOPOGRAPH_POOL") == "1" else None

DEBUG = os.environ.get("TOPOGRAPH_DEBUG", "") == "1"
SECRET_KEY = os.environ.get("TOPOGRAPH_SECRET_KEY") or folder.secret("secret-key")
LOOPBACK = ["127.0.0.1", "localhost", "[::1]"]
_named_hosts = [host for host in os.environ.get("TOPOGRAPH_HOSTS", "").split(",") if host]
ALLOWED_HOSTS = _named_hosts or LOOPBACK
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in ALLOWED_HOSTS if host[0].isalpha()]

# Where readers reach the site: in letters, which must not say what a request's Host does. By
# default the first name.
SITE = os.environ.get("TOPOGRAPH_URL", "").rstrip("/")
if SITE and not (
    urlsplit(SITE).scheme in ("http", "https")
    and urlsplit(SITE).hostname
    and urlsplit(SITE).path == ""
):
    raise ImproperlyConfigured(
        "TOPOGRAPH_URL must be https://name or http://name:port, without a path."
    )

# Off: one local owner without a password, and nothing is answered that comes from another machine
# (webapp.platform.accounts.authorization).
ACCOUNTS = os.environ.get("TOPOGRAPH_ACCOUNTS", "") == "1"
AUTH_USER_MODEL = "webapp.User"

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",  # of templates of allauth
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "csp",
    "django_structlog",
    "webapp",
]
MIDDLEWARE = [
    "webapp.platform.server.request_log.RequestLog",
    "webapp.platform.server.headers.response_headers",
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "webapp.platform.server.handler.ContentSecurityPolicy",
    "webapp.platform.server.concurrency.limit_concurrency",
    "webapp.platform.server.concurrency.follow_work",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "webapp.platform.pages.errors.ErrorPages",
    "allauth.account.middleware.AccountMiddleware",
    "webapp.platform.accounts.middleware.LocalUser",
    "webapp.platform.accounts.admission.AdmissionMiddleware",
    "webapp.platform.accounts.middleware.RecordOfReading",
    "webapp.platform.accounts.middleware.StudentPlace",
]
ROOT_URLCONF = "webapp.urls"
ASGI_APPLICATION = "webapp.asgi.application"
# so that signing out, or another password, ends them on the server
SESSION_ENGINE = "django.contrib.sessions.backends.db"
# Of a local owner it holds a name that is given once.
SESSION_COOKIE_AGE = (14 if ACCOUNTS else 365) * 24 * 3600
MESSAGE_STORAGE = "django.contrib.messages.storage.cookie.CookieStorage"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        # What ours do not say
        "DIRS": [
            package.resource("templates"),
            Path(allauth.__file__).parent / "templates",
        ],
        "APP_DIRS": False,
        "OPTIONS": {
            "builtins": ["webapp.platform.drawing.chips"],
            "libraries": {
                "addresses": "webapp.platform.pages.address_tags",
                "charts": "webapp.platform.drawing.charts",
                "deletion": "webapp.service.corpora.deletion_tags",
                "codebook": "webapp.service.codebook.codebook_tags",
                "navigation": "webapp.core.runs.navigation",
                "notebooks": "webapp.core.notebooks.notebook_tags",
                "readings": "webapp.platform.accounts.reading_tags",
                "numbers": "webapp.platform.drawing.numbers",
                "unit_words": "webapp.core.documents.unit_words",
                "selection": "webapp.core.documents.selection_tags",
                "sense_charts": "webapp.analysis.words.sense_charts",
                "terms": "webapp.platform.pages.term_tags",
                "texts": "webapp.platform.drawing.texts",
                "intervals": "webapp.platform.drawing.intervals",
                "trends": "webapp.platform.drawing.trends",
            },
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.messages.context_processors.messages",
                "webapp.platform.accounts.authorization.in_templates",
                "webapp.platform.local.package.in_templates",
            ],
        },
    }
]

# What each user may have with accounts, unless the command `account` says otherwise of one; none:
# as much as there is.
MOST = {
    # Of uploaded files
    "bytes": _whole_number("TOPOGRAPH_MOST_BYTES"),
    "documents": _whole_number("TOPOGRAPH_MOST_DOCUMENTS"),
    "jobs": int(os.environ.get("TOPOGRAPH_MOST_JOBS") or 20),  # that wait or run
    # In all classes of a teacher together
    "students": int(os.environ.get("TOPOGRAPH_MOST_STUDENTS") or 0),
}

# Whether finished runs are trained with other seeds while nobody needs the machine
# (webapp.core.runs.replicates); else at a press alone
OTHER_SEEDS = (os.environ.get("TOPOGRAPH_OTHER_SEEDS") or "1") == "1"

# Servers
# ---------------------------------------------------------------------------------------------------------
DATABASE_URL, REDIS_URL = servers.urls()
DATABASES = {"default": dj_database_url.parse(DATABASE_URL)}
DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = False
# A database that is away is noticed within half a minute (libpq's names; tcp_user_timeout in
# milliseconds), and what it broke is not used again. What is behind -c are settings of Postgres: it
# notices as soon that a client's machine is gone, or its process, and ends what it does for it and
# its locks.
_options = DATABASES["default"].setdefault("OPTIONS", {})
_keep = {
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 30_000,
}
_options.update({"connect_timeout": 5} | _keep)
_server = {"client_connection_check_interval": "10s"} | {
    f"tcp_{name.removeprefix('tcp_')}": value for name, value in _keep.items()
}
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# Set by webapp.asgi: a worker's children must not share a pool
if os.environ.get("TOPOGRAPH_POOL") == "1":
    # webapp.platform.server.concurrency lets in fewer. Attempts to connect anew are given up soon,
    # so that the next request makes one.
    _options["pool"] = {
        "min_size": 2,
        # Postgres allows 100 in all
        "max_size": max(6, min(24, 48 // int(os.environ.get("TOPOGRAPH_WEB") or "1"))),
        "timeout": 4,
        "reconnect_timeout": 2,
        "connection_class": database_timeout.Connection,
    }
    # Nobody waits longer for a page, and downloads are read in chunks. A task may take its time:
    # its heartbeat watches it.
    _server |= {
        "statement_timeout": f"{database_timeout.STATEMENT:.0f}s",
        "lock_timeout": "8s",
        "idle_in_transaction_session_timeout": "60s",
    }
_options["options"] = " ".join(
    [*(f"-c {name}={value}" for name, value in _server.items()), _options.get("options", "")]
).strip()
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_IGNORE_RESULT = True
# A task is acknowledged when it starts: rows in Postgres, not the broker, say what is still to be
# done (webapp/platform/jobs/sweep.py).
CELERY_TASK_ACKS_LATE = False
# Also of the broker: what stands in a queue can run nothing but a task of ours
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# Jobs of corpora need the files that were uploaded, and exports are downloaded from there: both are
# done where those are.
CELERY_TASK_DEFAULT_QUEUE = "celery"
HOME_QUEUE = "home"
QUEUES = (CELERY_TASK_DEFAULT_QUEUE, HOME_QUEUE)
CELERY_TASK_ROUTES = {
    name: {"queue": HOME_QUEUE} for name in ("tasks.corpora.*", "tasks.runs.export")
}
CELERY_TASK_QUEUES = [
    Queue(name, Exchange(name), routing_key=name)
    for name in QUEUES
    if SOURCES or name != HOME_QUEUE
]
CELERY_WORKER_MAX_TASKS_PER_CHILD = 1
# Nothing is asked of workers over Redis but tasks. The subscription for it is read without a time
# limit, and a worker whose Redis had died could wait in it for ever.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Who sends while the broker is away does not wait for it (the sweep sends later); a worker's own
# connection has retries of its own.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_timeout": 10,
    "socket_connect_timeout": 5,
    "retry_on_timeout": True,
    "max_retries": 1,
    "interval_start": 0,
    "interval_max": 0.2,
}
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False

# One that hangs is not asked again
_once = Retry(NoBackoff(), 1, supported_errors=(redis.ConnectionError,))
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "cache",
        "OPTIONS": {"socket_timeout": 2, "socket_connect_timeout": 2, "retry": _once},
    }
}

# Accounts (docs/accounts.md)
# -------------------------------------------------------------------------------------
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.ScryptPasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}", "OPTIONS": options}
    for name, options in [
        ("MinimumLengthValidator", {"min_length": 10}),
        ("UserAttributeSimilarityValidator", {"user_attributes": ["email", "name"]}),
        ("CommonPasswordValidator", {}),
    ]
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = LOGOUT_REDIRECT_URL = "home"
# Open, invite or closed: webapp.platform.accounts
SIGNUP = os.environ.get("TOPOGRAPH_SIGNUP") or "closed"
if SIGNUP not in ("open", "invite", "closed"):
    raise ImproperlyConfigured(f"TOPOGRAPH_SIGNUP must be open, invite or closed, got “{SIGNUP}”.")
ACCOUNT_ADAPTER = "webapp.platform.accounts.adapters.Adapter"
ACCOUNT_FORMS = {
    "change_password": "webapp.platform.accounts.forms.ChangePassword",
    "set_password": "webapp.platform.accounts.forms.SetPassword",
    "reset_password_from_key": "webapp.platform.accounts.forms.ResetPasswordKey",
}
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_USER_MODEL_USERNAME_FIELD = "name"  # shown to others, not to sign in with
ACCOUNT_USERNAME_VALIDATORS = "webapp.platform.accounts.names.NAME"
ACCOUNT_USERNAME_MIN_LENGTH = 2
ACCOUNT_USERNAME_BLACKLIST = [
    "owner",
    "admin",
    "operator",
    "topograph",
    "nobody",
    "anybody",
    "everybody",
]
# Coders who join by a link, as sign-ins; all other limits are allauth's own.
ACCOUNT_RATE_LIMITS = {"join": "30/m/ip"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_CHANGE_EMAIL = True  # one address an account; a new one counts when it is verified
ACCOUNT_EMAIL_NOTIFICATIONS = True  # of changes to password and second factor
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Topograph: "
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False  # nothing is sent to addresses that have no account
# before another address counts: with one the password can be had, so an open page is not enough
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 900
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_TOTP_ISSUER = "Topograph"
MFA_RECOVERY_CODES_SHOW_ONCE = True
# Signing in elsewhere, by OpenID Connect. Whoever runs that says whose an address is, so an account
# with it is the same person's.
SOCIALACCOUNT_ADAPTER = "webapp.platform.accounts.adapters.Elsewhere"
SOCIALACCOUNT_STORE_TOKENS = False
SOCIALACCOUNT_EMAIL_AUTHENTICATION = SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = (
    os.environ.get("TOPOGRAPH_OIDC_TRUST_EMAIL", "") == "1"
)
OIDC_CLIENT = os.environ.get("TOPOGRAPH_OIDC_CLIENT", "")
# The claim with the groups that somebody is in, "" for none; the group whose members are operators;
# where one signs out there
OIDC_GROUPS = os.environ.get("TOPOGRAPH_OIDC_GROUPS", "")
OIDC_OPERATORS = os.environ.get("TOPOGRAPH_OIDC_OPERATORS", "")
OIDC_SIGN_OUT = os.environ.get("TOPOGRAPH_OIDC_SIGN_OUT", "")
GROUP_DAYS = 14  # for which a group gives its roles after a sign-in: as long as a session lasts
if OIDC_OPERATORS and not OIDC_GROUPS:
    raise ImproperlyConfigured(
        "TOPOGRAPH_OIDC_OPERATORS names a group: TOPOGRAPH_OIDC_GROUPS must name the claim that has"
        " groups."
    )
_elsewhere = {
    "provider_id": "sso",
    "name": os.environ.get("TOPOGRAPH_OIDC_NAME") or "single sign-on",
    "client_id": OIDC_CLIENT,
    "secret": os.environ.get("TOPOGRAPH_OIDC_SECRET", ""),
    "settings": {
        "server_url": os.environ.get("TOPOGRAPH_OIDC_URL"),
        "scope": (os.environ.get("TOPOGRAPH_OIDC_SCOPE") or "openid profile email").split(),
    },
}
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [_elsewhere] if os.environ.get("TOPOGRAPH_OIDC_URL") else [],
    }
}
# smtp://user:password@host:587 (STARTTLS), smtps://… (TLS from the start), else letters are written
# to files in the state folder.
EMAIL_TIMEOUT = 20
MAIL = bool(os.environ.get("TOPOGRAPH_EMAIL"))  # whether letters reach anybody
DEFAULT_FROM_EMAIL = SERVER_EMAIL = os.environ.get("TOPOGRAPH_EMAIL_FROM") or "topograph@localhost"
if os.environ.get("TOPOGRAPH_EMAIL"):
    _mail = urlsplit(os.environ["TOPOGRAPH_EMAIL"])
    if _mail.scheme not in ("smtp", "smtps") or not _mail.hostname:
        raise ImproperlyConfigured(
            "TOPOGRAPH_EMAIL must be smtp://user:password@host:port or smtps://…, and is neither."
        )
    EMAIL_USE_SSL = _mail.scheme == "smtps"
    EMAIL_USE_TLS = _mail.scheme == "smtp" and _mail.hostname not in ("localhost", "127.0.0.1")
    EMAIL_HOST = _mail.hostname
    EMAIL_PORT = _mail.port or (465 if EMAIL_USE_SSL else 587)
    EMAIL_HOST_USER = unquote(_mail.username or "")
    EMAIL_HOST_PASSWORD = unquote(_mail.password or "")
else:
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = DATA / "mail"

# Pages
# -----------------------------------------------------------------------------------------------------------
LANGUAGE_CODE = "en"
USE_I18N = False
TIME_ZONE = "UTC"
STATIC_URL = "static/"
STATICFILES_DIRS = [package.resource("static")]
STATIC_ROOT = DATA / "static"
SERVESTATIC_USE_FINDERS = True  # straight from static/: no build step
SERVESTATIC_MAX_AGE = 0 if DEBUG else 60

# Safety (docs/security.md)
# ----------------------------------------------------------------------------------------- Whether
# readers reach the site by https: where it has a name of its own and accounts, unless
# TOPOGRAPH_HTTPS says otherwise. Then cookies are only sent over it, plain http is sent there, and
# browsers remember that for a year.
_has_name = not set(ALLOWED_HOSTS) <= set(LOOPBACK)
HTTPS = (os.environ.get("TOPOGRAPH_HTTPS") or ("1" if ACCOUNTS and _has_name else "0")) == "1"
if not SITE:
    if ACCOUNTS and not ALLOWED_HOSTS[0].strip("*."):
        raise ImproperlyConfigured(
            "TOPOGRAPH_HOSTS names no site: say in TOPOGRAPH_URL where readers reach it, such as"
            " https://topics.example.org."
        )
    host = ALLOWED_HOSTS[0].lstrip(".")
    if HTTPS:
        SITE = f"https://{host}"
    else:
        SITE = f"http://{host}:{os.environ.get('TOPOGRAPH_PORT') or 8000}"
SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
# How far that goes: names below the site's (subdomains), and whether its operator may ask browsers'
# makers to ship it (preload).
HSTS = os.environ.get("TOPOGRAPH_HSTS") or "preload"
# Django's checks that would warn of what was asked for
HSTS_SILENCED = {
    "preload": [],
    "subdomains": ["W021"],
    "host": ["W005", "W021"],
    "off": ["W004"],
}
if HSTS not in HSTS_SILENCED:
    raise ImproperlyConfigured(
        f"TOPOGRAPH_HSTS must be one of {', '.join(HSTS_SILENCED)}, got “{HSTS[:20]}”."
    )
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS and HSTS != "off" else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS and HSTS in ("preload", "subdomains")
SECURE_HSTS_PRELOAD = HTTPS and HSTS == "preload"
SILENCED_SYSTEM_CHECKS = [f"security.{check}" for check in HSTS_SILENCED[HSTS]]
# Nobody listens between a browser and its own machine
if not HTTPS and set(ALLOWED_HOSTS) <= set(LOOPBACK):
    SILENCED_SYSTEM_CHECKS += ["security.W004", "security.W008", "security.W012", "security.W016"]
# Asked for by machines beside this one
SECURE_REDIRECT_EXEMPT = [
    r"^healthz$",
    r"^readyz$",
    r"^metrics$",
]
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
# such names are only taken from https, for this host and no other: a neighbouring site can't set
# them
if HTTPS:
    SESSION_COOKIE_NAME = "__Host-session"
    CSRF_COOKIE_NAME = "__Host-csrf"
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
        # A form leads to where people sign in, and browsers look at where that redirects to.
        "form-action": [
            SELF,
            *(
                "{0.scheme}://{0.netloc}".format(urlsplit(url))
                for url in filter(None, [os.environ.get("TOPOGRAPH_OIDC_URL"), OIDC_SIGN_OUT])
            ),
        ],
        "frame-ancestors": [NONE],
    }
}

# Uploads go straight to a file beside the place where they will stay, so that keeping them is a
# rename.
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.TemporaryFileUploadHandler"]
FILE_UPLOAD_TEMP_DIR = FILES / "uploads"
FILE_UPLOAD_TEMP_DIR.mkdir(parents=True, exist_ok=True)
DATA_UPLOAD_MAX_NUMBER_FILES = 20_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200
# In bytes: what one corpus's files may have together (0: anything), and what the disk keeps free
# (none: upload_limits.reserve chooses).
MAX_UPLOAD = int(os.environ.get("TOPOGRAPH_MAX_UPLOAD") or 0)
# Seconds without a byte, after which a client is gone
UPLOAD_PATIENCE = float(os.environ.get("TOPOGRAPH_UPLOAD_PATIENCE") or 30)
DISK_RESERVE = _whole_number("TOPOGRAPH_DISK_RESERVE")
# Whether a new Topograph without accounts reads the example
EXAMPLE = os.environ.get("TOPOGRAPH_EXAMPLE", "1") == "1"
# Days for which what is deleted can be brought back (corpora.deletion).
KEEP_DELETED = float(os.environ.get("TOPOGRAPH_KEEP_DELETED") or 7)
# Large files that workers made to be downloaded (webapp.service.exports.kept): for how many days
# they are kept, and how many bytes one user's, and all together, may have.
EXPORTS = {
    "days": float(os.environ.get("TOPOGRAPH_EXPORT_DAYS") or 7),
    "bytes": int(os.environ.get("TOPOGRAPH_EXPORT_BYTES") or 20 * 10**9),
    "all_bytes": int(os.environ.get("TOPOGRAPH_EXPORT_ALL_BYTES") or 100 * 10**9),
}
# Seconds without a sign of life after which a job whose process is gone is queued again
# (webapp.platform.jobs): how often jobs say that they live, and are looked at, follows from it.
STALE = float(os.environ.get("TOPOGRAPH_STALE") or 20)
LEAST_STALE = 1.0  # a process that has much to do is silent for tenths of a second
MOST_STALE = 300.0  # half of the time after which a lock on files is not believed (claims.FROZEN)
if not LEAST_STALE <= STALE <= MOST_STALE:
    raise ImproperlyConfigured(
        f"TOPOGRAPH_STALE must be from {LEAST_STALE:g} to {MOST_STALE:g} seconds, got {STALE:g}."
    )
# The scheduler of a cluster whose workers share large trainings, and from how many words on:
# docs/scaling.md.
CLUSTER = os.environ.get("TOPOGRAPH_CLUSTER", "")
CLUSTER_TOKENS = int(os.environ.get("TOPOGRAPH_CLUSTER_TOKENS") or 5_000_000)

# Logs and metrics: docs/monitoring.md
# ------------------------------------------------------------------------------
LOGGING = logs.configure()
# What a request queues keeps its id; for workers tasks.celery says it
DJANGO_STRUCTLOG_CELERY_ENABLED = os.environ.get("TOPOGRAPH_POOL") == "1"
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False
METRICS_TOKEN = os.environ.get("TOPOGRAPH_METRICS_TOKEN", "")
