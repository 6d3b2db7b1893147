"""The reverse proxies of deploy/, before a real Topograph with accounts: nginx and Caddy, with a
certificate of the test's own."""

import hashlib
import http.client
import json
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
import redis

from tests.conftest import ROOT, start
from tests.corpora import as_csv, example_rows
from tests.prepared import state_folder
from webapp.platform.local.processes import free_port, spawn, stop

NAME = "topics.example.org"
PASSWORD = "correct horse battery staple"
ADDRESS = "127.0.0.7"  # of the reader: another one of this machine than the proxy's
BLOCK = 4 << 20  # bytes that webapp.intake.ingest.upload_views writes at once
SAFETY = (
    "content-security-policy",
    "strict-transport-security",
    "x-frame-options",
    "x-content-type-options",
    "referrer-policy",
    "cross-origin-opener-policy",
)


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    with pytest.MonkeyPatch.context() as environ:
        for name, value in {"ACCOUNTS": "1", "HOSTS": NAME, "PROXY": "127.0.0.1"}.items():
            environ.setenv(f"TOPOGRAPH_{name}", value)
        system = start(state_folder(tmp_path_factory.mktemp("proxied") / "data"), "--port", "8600")
        try:
            argv = ["account", "ada@example.org", "--name", "Ada", "--password-stdin"]
            known = json.loads((system.data / "servers.json").read_text())
            with pytest.MonkeyPatch.context() as servers:
                servers.setenv("TOPOGRAPH_DATA", str(system.data))
                servers.setenv("DATABASE_URL", known["database_url"])
                servers.setenv("REDIS_URL", known["redis_url"])
                subprocess.run(
                    [sys.executable, ROOT / "manage.py", *argv],
                    input=PASSWORD,
                    text=True,
                    check=True,
                    stdout=subprocess.DEVNULL,
                )
            yield system
        finally:
            system.stop()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> Path:
    """The folder of cert.pem and key.pem, for NAME."""
    folder = tmp_path_factory.mktemp("certificate")
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
            "-subj",
            f"/CN={NAME}",
            "-addext",
            f"subjectAltName=DNS:{NAME}",
            "-keyout",
            folder / "key.pem",
            "-out",
            folder / "cert.pem",
        ],
        check=True,
        capture_output=True,
    )
    return folder


def replaced(text: str, **by: str) -> str:
    """Each old text must be there: the file is tested as it is, but for ports and paths."""
    for old, new in by.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def nginx(folder: Path, certificate: Path, port: int, upstream: str) -> list[str]:
    site = replaced(
        (ROOT / "deploy" / "nginx.conf").read_text(),
        **{
            "listen [::]:443 ssl http2;": "",
            "listen [::]:80;": "",
            "listen 443": f"listen {port}",
            "listen 80": f"listen {free_port()}",
            f"/etc/letsencrypt/live/{NAME}/fullchain.pem": str(certificate / "cert.pem"),
            f"/etc/letsencrypt/live/{NAME}/privkey.pem": str(certificate / "key.pem"),
            "http://127.0.0.1:8000": upstream,
        },
    )
    (folder / "site.conf").write_text(site)
    temporary = "".join(
        f"{of}_temp_path {folder}/{of}; "
        for of in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes"
        f" 1;\nevents {{}}\nhttp {{ gzip on; access_log off; {temporary} include"
        f" {folder}/site.conf; }}\n"
    )
    return ["-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")]


def caddy(folder: Path, certificate: Path, port: int, upstream: str) -> list[str]:
    site = replaced(
        (ROOT / "deploy" / "Caddyfile").read_text(),
        **{
            f"\n{NAME} {{": (
                f"\n{NAME}:{port} {{\n    tls {certificate}/cert.pem {certificate}/key.pem"
            ),
            "127.0.0.1:8000": upstream.removeprefix("http://"),
        },
    )
    options = (
        "{\n    admin off\n    auto_https disable_redirects\n    storage file_system"
        f" {folder}/storage\n}}\n"
    )
    (folder / "Caddyfile").write_text(options + site)
    return ["run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


@dataclass
class Reader:
    """A browser, as far as the tests need one, that reaches NAME at a port of this machine."""

    port: int
    certificate: Path
    cookies: dict[str, str] = field(default_factory=dict)
    opened: list[http.client.HTTPConnection] = field(default_factory=list)

    def close(self) -> None:
        while self.opened:
            self.opened.pop().close()

    def connection(self, protocols: tuple[str, ...] = ("http/1.1",)) -> http.client.HTTPConnection:
        context = ssl.create_default_context(cafile=str(self.certificate / "cert.pem"))
        context.set_alpn_protocols(list(protocols))
        raw = socket.create_connection(("127.0.0.1", self.port), 20, source_address=(ADDRESS, 0))
        connection = http.client.HTTPConnection(NAME)
        connection.sock = context.wrap_socket(raw, server_hostname=NAME)
        self.opened.append(connection)
        return connection

    def begin(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> http.client.HTTPResponse:
        """The answer, of which only the head has been read."""
        connection = self.connection()
        sent = {
            "Cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items()),
            "Referer": f"https://{NAME}/",
        }
        connection.request(
            method, path, body, sent | {k.replace("_", "-"): v for k, v in headers.items()}
        )
        response = connection.getresponse()
        for value in response.headers.get_all("Set-Cookie") or ():
            self.cookies |= {name: morsel.value for name, morsel in SimpleCookie(value).items()}
        return response

    def sign_in(self) -> None:
        page = self.begin("GET", "/account/login/").read().decode()
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[1]
        fields = urlencode(
            {"csrfmiddlewaretoken": token, "login": "ada@example.org", "password": PASSWORD}
        )
        done = self.begin(
            "POST",
            "/account/login/",
            fields.encode(),
            Content_Type="application/x-www-form-urlencoded",
        )
        assert done.status == 302, done.read().decode()[:2000]
        assert "__Host-session" in self.cookies


@pytest.fixture(scope="module", params=[nginx, caddy], ids=lambda make: make.__name__)
def proxy(request):
    """(what writes its files, its program)"""
    name = request.param.__name__
    binary = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    if not binary:
        pytest.skip(f"{name} is not installed: Debian's package {name}")
    return request.param, binary


@pytest.fixture(scope="module")
def reader(proxy, system, certificate, tmp_path_factory):
    """Signed in, by way of one of the proxies."""
    make, binary = proxy
    folder = tmp_path_factory.mktemp(make.__name__)
    port = free_port()
    arguments = make(folder, certificate, port, system.url.rstrip("/"))
    reader = Reader(port, certificate)
    process = spawn(
        [binary, *arguments],
        folder / "said.log",
        env={"HOME": str(folder), "PATH": "/usr/bin:/bin"},
    )
    try:
        deadline = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                said = "\n".join(log.read_text() for log in folder.glob("*.log"))
                assert process.poll() is None and time.monotonic() < deadline, said
                time.sleep(0.05)
        reader.sign_in()
        yield reader
    finally:
        reader.close()
        stop(process, 15, 5)


@pytest.fixture(autouse=True)
def connections_end(reader):
    yield
    reader.close()


def test_http_2(reader):
    assert reader.connection(("h2", "http/1.1")).sock.selected_alpn_protocol() == "h2"
    if curl := shutil.which("curl"):
        asked = [
            curl,
            "-s",
            "--http2",
            "--cacert",
            reader.certificate / "cert.pem",
            "--resolve",
            f"{NAME}:{reader.port}:127.0.0.1",
            "-o",
            "/dev/null",
            "-w",
            "%{http_version} %{http_code}",
            f"https://{NAME}:{reader.port}/healthz",
        ]
        assert subprocess.run(asked, capture_output=True, text=True, timeout=20).stdout == "2 200"


def test_headers_are_topographs_and_come_once(reader, system):
    direct = http.client.HTTPConnection("127.0.0.1", int(system.url.rstrip("/").rsplit(":", 1)[1]))
    headers = {"Host": NAME, "X-Forwarded-Proto": "https", "X-Forwarded-For": ADDRESS}
    direct.request("GET", "/account/login/", headers=headers)
    own = direct.getresponse()
    through = reader.begin("GET", "/account/login/", Cookie="")
    direct.close()
    assert own.status == through.status == 200
    for name in SAFETY:
        assert len(through.headers.get_all(name) or ()) == 1, name
        assert re.sub("nonce-[^']+", "", through.headers[name]) == re.sub(
            "nonce-[^']+", "", own.headers[name]
        ), name
    assert "max-age" in through.headers["strict-transport-security"]


def test_readers_are_told_apart_by_their_address(reader, system):
    """Not by what they say of themselves."""
    forged = "203.0.113.9"
    answer = reader.begin(
        "GET",
        "/api/v1/corpora/",
        X_Forwarded_For=forged,
        X_Real_IP=forged,
        Forwarded=f"for={forged}",
    )
    assert answer.status == 200
    with redis.Redis.from_url(
        json.loads((system.data / "servers.json").read_text())["redis_url"]
    ) as client:
        counted = {key.decode().rsplit("api-", 1)[1] for key in client.scan_iter("*api-*")}
    hashed = {
        of: hashlib.sha256(f"address {of}".encode()).hexdigest()
        for of in (ADDRESS, forged, "127.0.0.1")
    }
    assert [of for of, key in hashed.items() if key in counted] == [ADDRESS]


def upload(reader: Reader, system, content: bytes, broken_at: int) -> str:
    """Upload by tus in two parts: the first breaks off. Returns the upload's id."""
    tus = {"Tus_Resumable": "1.0.0"}
    part = {"Content_Type": "application/offset+octet-stream"}
    begun = reader.begin(
        "POST",
        "/uploads/",
        b"",
        Upload_Length=str(len(content)),
        Upload_Metadata="filename c3BlZWNoZXMuY3N2",
        **tus,
    )
    assert begun.status == 201
    at = urlsplit(begun.headers["Location"]).path
    connection = reader.connection()
    connection.putrequest("PATCH", at)
    cookies = "; ".join(f"{k}={v}" for k, v in reader.cookies.items())
    sent = {
        **tus,
        **part,
        "Upload_Offset": "0",
        "Content_Length": str(len(content)),
        "Cookie": cookies,
    }
    for name, value in sent.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    connection.send(content[:broken_at])
    id_ = at.rstrip("/").rsplit("/", 1)[1]
    deadline = time.monotonic() + 20
    # The first block that is written is on the server's disk while the rest has not been sent: the
    # proxy collects nothing.
    while (
        max(file.stat().st_size for file in (system.data / "files" / "uploads").glob(f"{id_}*"))
        < BLOCK
    ):
        assert time.monotonic() < deadline, "the proxy holds the upload back"
        time.sleep(0.05)
    connection.close()
    deadline = time.monotonic() + 20
    while (answer := reader.begin("HEAD", at, **tus)).headers["Upload-Offset"] != str(broken_at):
        assert answer.status in (200, 423) and time.monotonic() < deadline, answer.headers[
            "Upload-Offset"
        ]
        reader.close()
        time.sleep(0.05)
    came = broken_at
    while (
        rest := reader.begin("PATCH", at, content[came:], Upload_Offset=str(came), **tus, **part)
    ).status == 423:
        time.sleep(0.05)
    assert rest.status == 204 and int(rest.headers["Upload-Offset"]) == len(content)
    return id_


def test_an_upload_goes_on_and_its_stream_is_not_held_back(reader, system):
    """A part larger than any default bound of a proxy (nginx: 1 MB), broken off, and continued
    where it was."""
    content = as_csv(example_rows(1_000)) * 8
    assert len(content) > 2 * BLOCK
    id_ = upload(reader, system, content, BLOCK + 1_000_000)
    page = reader.begin("GET", "/").read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[1]
    fields = urlencode({"csrfmiddlewaretoken": token, "uploads": id_, "name": "Speeches"}).encode()
    made = reader.begin(
        "POST", "/corpora/", fields, Content_Type="application/x-www-form-urlencoded"
    )
    corpus = re.search(r"/corpora/(\d+)/", made.headers["Location"])[1]
    stream = reader.begin(
        "GET", f"/corpora/{corpus}/events", Accept_Encoding="zstd, gzip", Accept="text/event-stream"
    )
    assert stream.status == 200 and stream.headers["Content-Type"] == "text/event-stream"
    assert stream.headers.get("Content-Encoding", "identity") == "identity"
    reader.opened[-1].sock.settimeout(10)
    # An answer that never ends: what is said comes at once, or not at all.
    assert [stream.readline() for _ in range(3)] == [
        b"retry: 2000\n",
        b'data: {"type":"open"}\n',
        b"\n",
    ]
    news = {"about": f"corpus:{corpus}", "event": json.dumps({"type": "trial"})}
    with redis.Redis.from_url(
        json.loads((system.data / "servers.json").read_text())["redis_url"]
    ) as client:
        for _ in range(5):  # the server may begin to listen only now
            client.xadd("events", news)
            time.sleep(0.3)
    assert b'data: {"type": "trial"}\n' in [stream.readline() for _ in range(5)]
