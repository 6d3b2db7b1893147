"""How the site is set up: https, cookies, secrets, what a worker takes from its queue, what is read
from disk."""

import ast
import os
import re
import runpy
import subprocess
import sys
from typing import Any

import kombu.serialization
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from kombu.exceptions import ContentDisallowed

from tests.conftest import ROOT

SERVER = {
    "TOPOGRAPH_ACCOUNTS": "1",
    "TOPOGRAPH_HOSTS": "topics.example.org",
    "TOPOGRAPH_ENVIRONMENT": "current",
    "TOPOGRAPH_SECRET_KEY": "k3" * 40 + "!a9Z",
}
LOCAL = {"TOPOGRAPH_ENVIRONMENT": "current"}


def environment(tmp_path, more: dict[str, str]) -> dict[str, str]:
    """Of a process that has servers which nobody asks."""
    env = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("TOPOGRAPH_", "DJANGO_"))
    }
    servers = {
        "TOPOGRAPH_DATA": str(tmp_path),
        "DATABASE_URL": "postgres://u:p@127.0.0.1:1/x",
        "REDIS_URL": "redis://127.0.0.1:1/0",
    }
    return env | servers | more


def command(tmp_path, more: dict[str, str], *arguments: str) -> subprocess.CompletedProcess:
    """manage.py in a process of its own."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment(tmp_path, more),
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def settings_of(tmp_path, monkeypatch):
    """A function: what the file of the settings says in an environment. It is run anew each time, as
    a process does at its start."""

    def run(more: dict[str, str]) -> dict[str, Any]:
        with monkeypatch.context() as patch:
            patch.setattr(os, "environ", environment(tmp_path, more))
            return runpy.run_path(str(ROOT / "webapp" / "settings.py"))

    return run


CHECKS = ("manage.py", "check", "--deploy", "--fail-level", "WARNING")
SECURITY_ALONE = (*CHECKS, "--tag", "security")  # the other checks import every page's code


@pytest.mark.parametrize("env", [SERVER, LOCAL], ids=["a server", "one's own machine"])
def test_djangos_own_checks_are_clean(tmp_path, env):
    done = command(tmp_path, env, *CHECKS)
    assert done.returncode == 0, done.stderr
    assert "0 silenced" in done.stdout if env is SERVER else "silenced" in done.stdout


def test_the_checks_notice_a_careless_server(tmp_path):
    careless = {"TOPOGRAPH_HTTPS": "0", "TOPOGRAPH_DEBUG": "1", "TOPOGRAPH_SECRET_KEY": "short"}
    done = command(tmp_path, SERVER | careless, *SECURITY_ALONE)
    assert done.returncode != 0 and {"W004", "W008", "W009", "W012", "W016", "W018"} <= set(
        re.findall(r"security\.(W\d+)", done.stderr)
    )


@pytest.mark.parametrize(
    ("env", "https"),
    [
        ({}, False),  # one's own machine
        ({"TOPOGRAPH_ACCOUNTS": "1"}, False),  # accounts, under the names of the own machine alone
        ({"TOPOGRAPH_ACCOUNTS": "1", "TOPOGRAPH_HOSTS": "topics.example.org"}, True),
        (  # what docker-compose.yml passes on where .env does not say it
            {
                "TOPOGRAPH_ACCOUNTS": "1",
                "TOPOGRAPH_HOSTS": "topics.example.org",
                "TOPOGRAPH_HTTPS": "",
            },
            True,
        ),
        # As it was told
        (
            {
                "TOPOGRAPH_ACCOUNTS": "1",
                "TOPOGRAPH_HOSTS": "topics.example.org",
                "TOPOGRAPH_HTTPS": "0",
            },
            False,
        ),
        ({"TOPOGRAPH_HTTPS": "1"}, True),
    ],
)
def test_https_and_cookies(settings_of, env, https):
    found = settings_of(LOCAL | env)
    assert (
        found["HTTPS"]
        == found["SECURE_SSL_REDIRECT"]
        == found["SESSION_COOKIE_SECURE"]
        == found["CSRF_COOKIE_SECURE"]
        == https
    )
    assert (
        (found["SECURE_HSTS_SECONDS"] >= 31_536_000)
        == (found.get("SESSION_COOKIE_NAME") == "__Host-session")
        == https
    )
    assert (
        found["SESSION_COOKIE_HTTPONLY"]
        and found["CSRF_COOKIE_HTTPONLY"]
        and found["SESSION_COOKIE_SAMESITE"] == "Lax"
    )
    assert (
        not found["DEBUG"]
        and not found.get("SECURE_PROXY_SSL_HEADER")
        and not found.get("USE_X_FORWARDED_HOST")
    )


@pytest.mark.parametrize(
    ("hsts", "said"),
    [
        ("", [31_536_000, True, True]),
        ("subdomains", [31_536_000, True, False]),
        ("host", [31_536_000, False, False]),
        ("off", [0, False, False]),
    ],
)
def test_how_far_https_is_remembered_is_the_operators_to_say(settings_of, tmp_path, hsts, said):
    found = settings_of(SERVER | {"TOPOGRAPH_HSTS": hsts})
    assert said == [
        found["SECURE_HSTS_SECONDS"],
        found["SECURE_HSTS_INCLUDE_SUBDOMAINS"],
        found["SECURE_HSTS_PRELOAD"],
    ]
    if hsts == "host":
        done = command(tmp_path, SERVER | {"TOPOGRAPH_HSTS": hsts}, *SECURITY_ALONE)
        assert done.returncode == 0, done.stderr


def test_where_the_site_is_must_be_known_and_settings_be_possible(settings_of):
    for more, said in (
        ({}, "https://topics.example.org"),
        ({"TOPOGRAPH_URL": "https://a.example:8443/"}, "https://a.example:8443"),
        ({"TOPOGRAPH_HOSTS": ".example.org"}, "https://example.org"),
    ):
        assert settings_of(SERVER | more)["SITE"] == said
    for wrong in (
        {"TOPOGRAPH_HOSTS": "*"},
        {"TOPOGRAPH_URL": "topics.example.org"},
        {"TOPOGRAPH_URL": "https://a.example/b"},
        {"TOPOGRAPH_HSTS": "yes"},
        {"TOPOGRAPH_STALE": "0.5"},
    ):
        with pytest.raises(ImproperlyConfigured, match="TOPOGRAPH_"):
            settings_of(SERVER | wrong)


@pytest.mark.django_db
def test_http_is_led_to_https_and_remembered(settings):
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_HSTS_SECONDS = 31_536_000
    settings.SECURE_HSTS_INCLUDE_SUBDOMAINS = settings.SESSION_COOKIE_SECURE = (
        settings.CSRF_COOKIE_SECURE
    ) = True
    plain = Client().get("/glossary/?q=x")
    assert plain.status_code == 301 and plain["Location"] == "https://testserver/glossary/?q=x"
    # Anyone can say so
    assert Client().get("/glossary/", headers={"x-forwarded-proto": "https"}).status_code == 301
    assert Client().get("/healthz").status_code == 200
    safe = Client().get("/", secure=True)
    assert safe["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"
    assert (
        all(
            cookie["secure"] and cookie["httponly"] and cookie["samesite"] == "Lax"
            for cookie in safe.cookies.values()
        )
        and safe.cookies
    )


def test_a_proxy_is_believed_where_it_is_named():
    """What webapp.platform.local.start hands to uvicorn, tried on uvicorn's own middleware."""
    from uvicorn.middleware.proxy_headers import _TrustedHosts

    assert (
        "127.0.0.1" not in _TrustedHosts("")
        and None not in _TrustedHosts("")
        and "10.0.0.1" not in _TrustedHosts("")
    )
    named = _TrustedHosts("172.16.0.0/12,10.0.0.7")
    assert "172.18.0.1" in named and "10.0.0.7" in named and "10.0.0.8" not in named
    # Not what a client put before it
    assert named.get_trusted_client_address("6.6.6.6, 203.0.113.9, 172.18.0.1")[0] == "203.0.113.9"


# Secrets
# ------------------------------------------------------------------------------------------------------------

KEYS = re.compile(
    rb"-----BEGIN [A-Z ]*PRIVATE"
    rb" KEY-----[\s\S]{40}|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36}\b|\bxox[abpr]-[0-9A-Za-z-]{20,}"
    rb"|\bAIza[0-9A-Za-z_-]{35}\b|\bsk-[A-Za-z0-9]{32,}|\bglpat-[\w-]{20}|\beyJ[A-Za-z0-9_-]{20,}\.eyJ[A-Za-z0-9_-]{20,}\.|\btopograph_[A-Za-z0-9_-]{43}\b"
    rb"|(?i:(?:secret(?:_?key)?|password|passwd|token|api_?key)[\"']?\s*[:=]\s*[\"'][A-Za-z0-9+/_-]{24,}[\"'])|\b(?:postgres|redis)://[^\s:@/]*:[A-Za-z0-9]{20,}@"
)
LIKE_KEYS = [  # put together here, so that this file is none of them
    b"-----BEGIN RSA PRIVATE KEY" + b"-----\n" + b"A" * 60,
    b"AKIA" + b"ABCDEFGHIJKLMNOP",
    b"ghp_" + b"a1" * 18,
    b"topograph_" + b"a" * 43,
    b'SECRET_KEY = "' + b"a1b2" * 10 + b'"',
    b"postgres://u:" + b"x1" * 12 + b"@h/db",
    b"eyJ" + b"a" * 24 + b".eyJ" + b"b" * 24 + b".",
]


@pytest.mark.parametrize("text", LIKE_KEYS)
def test_keys_are_known_for_what_they_are(text):
    assert KEYS.search(text)


def test_no_key_is_in_the_repository():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    if listed.returncode:
        pytest.skip("this is no git repository: nothing says which files belong to it")
    names = [
        name
        for name in listed.stdout.decode().split("\0")
        if name and not name.startswith(("static/vendor/", "requirements/"))
    ]
    found = []
    for name in names:
        path = ROOT / name
        if (
            path.is_file()
            and path.stat().st_size < 5_000_000
            and (match := KEYS.search(path.read_bytes()))
        ):
            found.append((name, match[0][:40]))
    assert len(names) > 700 and found == []
    assert not [
        name
        for name in names
        if re.search(r"(^|/)(\.env|secret-key|.*\.(pem|key|p12|pfx|kdbx))$", name)
    ]


@pytest.mark.django_db
def test_error_pages_say_nothing_of_the_inside(monkeypatch, settings):
    from webapp.platform.pages import glossary_views

    settings.DEBUG = False

    def broken(*_, **__):
        secret_of_this_frame = settings.SECRET_KEY  # noqa: F841
        raise RuntimeError(f"{settings.DATABASE_URL} quetzal")

    monkeypatch.setattr(glossary_views, "GlossaryPage", broken)
    for url in ("/glossary/", "/glossary.json"):
        response = Client(raise_request_exception=False).get(url)
        said = response.content.decode()
        assert (
            response.status_code == 500
            and settings.SECRET_KEY not in said
            and "postgres" not in said
        )
        assert not re.search(r"quetzal|Traceback|RuntimeError|site-packages|/webapp/|File \"", said)


# What is run
# --------------------------------------------------------------------------------------------------------


def test_a_queue_holds_json_and_nothing_that_runs():
    from tasks.celery import app

    assert (
        set(app.conf.accept_content) == {"json"}
        and app.conf.task_serializer
        == app.conf.result_serializer
        == app.conf.event_serializer
        == "json"
    )
    for kind in ("application/x-python-serialize", "application/x-yaml", "application/x-msgpack"):
        with pytest.raises(ContentDisallowed):
            kombu.serialization.loads(
                b"cos\nsystem\n(S'id'\ntR.", kind, "binary", accept=app.conf.accept_content
            )


@pytest.mark.django_db
@pytest.mark.parametrize(
    "argument", ["1; DROP TABLE run", "../../etc", {"$ne": 1}, [1], None, 10**30, -1, True]
)
def test_a_task_is_given_what_is_no_number(argument):
    """Whoever can write to the queue can ask for no more than a row that waits."""
    from tasks import corpora, runs
    from webapp.models import Run

    before = Run.objects.count()
    for task in (corpora.store_upload, corpora.read_corpus, corpora.choose, runs.train):
        try:
            task(argument)
        except (TypeError, ValueError, OverflowError):
            pass
    assert Run.objects.count() == before


FORBIDDEN = {
    "pickle",
    "cPickle",
    "dill",
    "cloudpickle",
    "marshal",
    "shelve",
    "joblib",
    "yaml",
    "xml",
    "requests",
    "aiohttp",
    "httpx",
    "urllib3",
    "ftplib",
    "telnetlib",
}
GUARDED = {  # module -> the files that may import it
    # expat, which refuses entities: tests/webapp/intake/file_formats/test_marked_up.py
    "xml.parsers": ["markup.py"],
    # compiled kernels, from this user's own folder alone: tests/inference/runtime/test_jit.py
    "pickle": ["jit.py"],
    # asks the server that it has started whether it answers
    "http.client": ["start.py"],
    # the mail server that the operator named
    "smtplib": ["adapters.py", "emails.py"],
    # other processes of this machine, and of a training's workers
    "socket": ["siblings.py", "processes.py", "sandbox.py", "sandbox_worker.py", "join.py"],
}
CALLS = {"eval", "exec", "compile", "__import__"}


def sources():
    return [
        path
        for room in ("inference", "tasks", "webapp")
        for path in sorted((ROOT / room).rglob("*.py"))
    ]


def test_nothing_is_unpickled_evaluated_or_fetched():
    """No SSRF: no code of ours asks another server for anything. (Single sign-on asks the one
    address that the operator named.)"""
    wrong = []
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = (
                [a.name for a in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            wrong += [
                f"{path.name}:{node.lineno} imports {name}"
                for name in names
                if (name.split(".")[0] in FORBIDDEN or name in GUARDED or name == "urllib.request")
                and path.name not in GUARDED.get(name, [])
            ]
            if isinstance(node, ast.Call):
                if isinstance(node.func, ast.Name) and node.func.id in CALLS:
                    wrong.append(f"{path.name}:{node.lineno} {node.func.id}()")
                for keyword in node.keywords:
                    yes = isinstance(keyword.value, ast.Constant) and keyword.value.value is True
                    if keyword.arg in ("allow_pickle", "shell") and yes:
                        wrong.append(f"{path.name}:{node.lineno} {keyword.arg}=True")
    assert [
        said for said in wrong if not said.startswith("start.py:")
    ] == []  # webapp/platform/local/start.py asks its own server whether it is up


def test_arrays_are_not_unpickled(tmp_path):
    """numpy's own default, on which the readers of our files rest."""
    import numpy as np

    np.save(tmp_path / "a.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="pickle"):
        np.load(tmp_path / "a.npy")


MAKERS_OF_PARSERS = {
    "etree.XMLParser",
    "etree.HTMLParser",
    "etree.iterparse",
    "etree.XMLPullParser",
}


def test_every_parser_of_markup_stays_at_home():
    """lxml reads no entity of a file or a network, and no tree without end."""
    made = []
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in MAKERS_OF_PARSERS:
                made.append(ast.unparse(node))
    assert made
    for call in made:
        assert "no_network=True" in call
        assert "huge_tree=True" not in call
    assert not [
        line
        for path in sources()
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"etree\.(parse|fromstring|XML)\((?!.*parser)", line)
    ]
