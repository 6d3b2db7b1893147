"""Uploads by the tus protocol, against a real web server: what is kept, what is refused, what is
left behind."""

import contextlib
import errno
import hashlib
import io
import json
import os
import re
import signal
import socket
import tarfile
import threading
import time
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.conf import settings
from django.db import connection as database
from django.urls import reverse

from tests.webapp.tus import Client, Server
from webapp.intake.ingest import corpora, upload_limits, upload_views, upload_writer, uploads
from webapp.intake.ingest.upload_writer import UploadWriter
from webapp.models import Corpus, User
from webapp.platform.storage import disk, files
from webapp.service.corpora import deletion
from webapp.service.operations import upkeep

pytestmark = pytest.mark.django_db

MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def server():
    server = Server().start()
    yield server
    server.stop()


@pytest.fixture
def client_of(server):
    return Client(server.port)


@pytest.fixture(scope="module")
def strict():
    """One that takes little, and waits for little."""
    server = Server({"TOPOGRAPH_MAX_UPLOAD": "1000", "TOPOGRAPH_UPLOAD_PATIENCE": "2"}).start()
    yield Client(server.port)
    server.stop()


@pytest.fixture(scope="module")
def full():
    """One whose disk has no room beyond the reserve."""
    server = Server({"TOPOGRAPH_DISK_RESERVE": str(1 << 60)}).start()
    yield Client(server.port)
    server.stop()


@pytest.fixture(autouse=True)
def nothing_left():
    """Every test takes away what it uploaded, or the server did."""
    yield
    for path in settings.FILE_UPLOAD_TEMP_DIR.iterdir():
        path.unlink()


def left() -> list[str]:
    return sorted(path.name for path in settings.FILE_UPLOAD_TEMP_DIR.iterdir())


def stored(path: str) -> bytes:
    return uploads.find(path.strip("/").split("/")[1]).path.read_bytes()


def wait_for_writer(at: str) -> None:
    """Until a connection has the upload for itself."""
    file = f":{uploads.find(at.strip('/').split('/')[1]).path.stat().st_ino} "
    deadline = time.monotonic() + 20
    while file not in Path("/proc/locks").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def ids(*answers) -> str:
    return " ".join(answer.location.strip("/").split("/")[1] for answer in answers)


def made(client, *answers, **fields) -> Corpus:
    response = client.post(
        reverse("corpora"), {"uploads": ids(*answers), **fields}, HTTP_ACCEPT="application/json"
    )
    assert response.status_code == 201, response.content
    return Corpus.objects.latest("pk")


# The protocol
# -----------------------------------------------------------------------------------------------------


def test_the_server_says_what_it_can(client_of):
    answer = client_of.ask("OPTIONS", "/uploads/", Tus_Resumable="")
    assert answer.status == 204 and answer.headers["Tus-Version"] == "1.0.0"
    assert set(answer.headers["Tus-Extension"].split(",")) == {
        "creation",
        "creation-with-upload",
        "expiration",
        "termination",
    }
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_in_parts_and_a_corpus_of_it(client_of, client):
    content = os.urandom(150_000).hex().encode()
    created = client_of.create(len(content), "letters.txt")
    assert created.status == 201 and created.offset == 0 and "Upload-Expires" in created.headers
    at = created.location
    for start in range(0, len(content), 100_000):
        assert client_of.offset(at) == start
        answer = client_of.patch(at, start, content[start : start + 100_000])
        assert (answer.status, answer.offset) == (204, start + 100_000)
    head = client_of.ask("HEAD", at)
    assert (head.status, head.headers["Upload-Length"], head.headers["Cache-Control"]) == (
        200,
        "300000",
        "no-store",
    )
    assert (
        json.loads(uploads.note_path(ids(created)).read_bytes())["sha256"]
        == hashlib.sha256(content).hexdigest()
    )

    corpus = made(client, created)
    file = corpus.files.get()
    assert (file.name, file.bytes, file.sha256) == (
        "letters.txt",
        len(content),
        hashlib.sha256(content).hexdigest(),
    )
    assert (settings.FILES / file.path).read_bytes() == content and not left()
    assert client_of.ask("HEAD", at).status == 404

    deletion.delete_corpus(corpus)
    deletion.expire_now(corpus)
    upkeep.tidy()
    assert not files.corpus_folder(corpus.pk).exists() and not left()


def test_all_of_it_with_the_creation(client_of, client):
    created = client_of.create(5, "a.txt", b"words")
    assert (created.status, created.offset) == (201, 5)
    empty = client_of.create(0, "b.txt")
    assert client_of.offset(empty.location) == 0
    corpus = made(client, empty, created, name="Two")
    assert (
        [(f.name, f.bytes) for f in corpus.files.all()] == [("a.txt", 5), ("b.txt", 0)]
        and corpus.name == "Two"
        and not left()
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_goes_on_after_the_server_was_restarted(server, client_of, client, number):
    tus = client_of
    content = os.urandom(6 * MEGABYTE).hex().encode()
    at = (created := tus.create(len(content))).location
    tus.patch(at, 0, content[:MEGABYTE])
    with tus.begin(at, MEGABYTE, len(content) - MEGABYTE, content[MEGABYTE : 11 * MEGABYTE]):
        there = tus.wait_for(at, 5 * MEGABYTE)  # written in blocks of four
        server.stop(number)
    server.start()
    kept = tus.offset(at)
    assert there <= kept <= 11 * MEGABYTE
    assert tus.patch(at, kept, content[kept:]).offset == len(content)
    file = made(client, created).files.get()
    assert (settings.FILES / file.path).read_bytes() == content
    # From the disk, as the server had forgotten the first part
    assert file.sha256 == hashlib.sha256(content).hexdigest()


def test_goes_on_where_the_connection_was_cut(client_of):
    content = os.urandom(3 * MEGABYTE)
    at = client_of.create(len(content)).location
    client_of.begin(at, 0, len(content), content[:1_234_567]).close()
    client_of.wait_for(at, MEGABYTE)  # the last bytes may be lost with the connection
    deadline = time.monotonic() + 20
    while client_of.patch(at, offset := client_of.offset(at), content[offset:]).status != 204:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert stored(at) == content


def test_a_part_must_begin_where_the_last_one_ended(client_of):
    at = client_of.create(10).location
    for offset in (5, 11, 10**17):
        answer = client_of.patch(at, offset, b"x")
        assert answer.status == 409 and "0 bytes" in json.loads(answer.body)["error"]
    for offset in ("-1", "1.5", "one", "9" * 30, ""):
        assert client_of.patch(at, 0, b"x", Upload_Offset=offset).status == 400
    assert client_of.offset(at) == 0


def test_two_clients_at_once_do_not_interleave(client_of):
    """The second is told to wait while the first one writes, and nothing of it is written."""
    first = b"a" * 2 * MEGABYTE
    second = b"b" * 2 * MEGABYTE
    at = client_of.create(len(first)).location
    with client_of.begin(at, 0, len(first), first[:MEGABYTE]) as connection:
        wait_for_writer(at)
        answer = client_of.patch(at, 0, second)
        assert answer.status == 423 and "another connection" in json.loads(answer.body)["error"]
        connection.sendall(first[MEGABYTE:])
        assert b"204" in connection.recv(1000)
    assert stored(at) == first


def test_many_clients_at_once_leave_one_whole_file(client_of):
    content = os.urandom(8 * MEGABYTE)
    at = client_of.create(len(content)).location

    def send() -> None:
        while (now := client_of.offset(at)) < len(content):
            assert client_of.patch(at, now, content[now : now + MEGABYTE]).status in (
                204,
                409,
                413,
                423,
            )

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert stored(at) == content


def test_the_whole_is_hashed_on_the_way(client_of):
    """In parts or at once: the note of a finished upload has its SHA-256."""
    content = b"words " * 1000
    for cuts in ([6000], [2500, 3500]):
        at = client_of.create(6000, body=content[: cuts[0]]).location
        end = cuts[0]
        for size in cuts[1:]:
            assert client_of.patch(at, end, content[end : end + size]).status == 204
            end += size
        note = json.loads(uploads.note_path(at.strip("/").split("/")[1]).read_bytes())
        assert stored(at) == content and note["sha256"] == hashlib.sha256(content).hexdigest()


def test_a_checksum_of_a_part_is_not_offered(client_of):
    """What a client sends of it all the same is passed over, as of any extension that is not
    offered."""
    at = client_of.create(5, body=b"hello", Upload_Checksum="sha256 AAAA").location
    assert stored(at) == b"hello"


def test_cancelled(client_of):
    at = client_of.create(100, body=b"x" * 50).location
    assert client_of.ask("DELETE", at).status == 204 and not left()
    for method in ("HEAD", "DELETE"):
        assert client_of.ask(method, at).status == 404
    assert client_of.patch(at, 50, b"x").status == 404


def test_cancelled_while_it_arrives(client_of):
    at = client_of.create(MEGABYTE).location
    with client_of.begin(at, 0, MEGABYTE, b"x" * 1000) as connection:
        wait_for_writer(at)
        assert client_of.ask("DELETE", at).status == 204
        connection.sendall(b"x" * (MEGABYTE - 1000))
        assert b"404" in connection.recv(1000)
    assert not left()


def test_what_is_being_made_a_corpus_is_not_cancelled(client_of):
    """Its files went while they were stored, and the corpus failed."""
    at = client_of.create(5, "a.txt", b"words").location
    with uploads.claim([at.strip("/").split("/")[1]]) as claimed:
        refused = client_of.ask("DELETE", at)
        assert refused.status == 409 and b"by another request" in refused.body
        assert client_of.offset(at) == 5
        assert claimed[0].path.read_bytes() == b"words"
    assert client_of.ask("DELETE", at).status == 404 and not left()


@pytest.mark.parametrize("method", ["HEAD", "DELETE"])
def test_what_became_a_corpus_as_it_was_found_is_not_there(client, monkeypatch, method):
    upload = arrived("a.txt")

    def find_and_lose(*arguments) -> uploads.IncomingFile:
        uploads.remove(upload)
        return upload

    monkeypatch.setattr(uploads, "find", find_and_lose)
    answer = client.generic(method, f"/uploads/{upload.id}/", headers={"Tus-Resumable": "1.0.0"})
    assert answer.status_code == 404
    assert method == "HEAD" or "made into a corpus" in answer.json()["error"]


def test_what_became_a_corpus_while_a_part_arrived_is_not_there(client_of, client):
    """A part without a byte, behind the last one."""
    whole = client_of.create(5, "a.txt", b"words")
    with socket.create_connection(("127.0.0.1", client_of.port), 30) as connection:
        connection.sendall(
            f"PATCH {whole.location} HTTP/1.1\r\nHost: 127.0.0.1:{client_of.port}\r\n"
            "Tus-Resumable: 1.0.0\r\nContent-Type: application/offset+octet-stream\r\n"
            "Upload-Offset: 5\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        )
        wait_for_writer(whole.location)
        made(client, whole)
        connection.sendall(b"0\r\n\r\n")
        assert connection.recv(1000).startswith(b"HTTP/1.1 404")


def test_expired(client_of, monkeypatch):
    old = client_of.create(100, body=b"x" * 50).location
    young = client_of.create(100, body=b"x" * 50).location
    path = uploads.find(old.strip("/").split("/")[1]).path
    for one in (path, path.with_name(f"{path.name}.json")):
        os.utime(one, (1, time.time() - uploads.EXPIRES - 60))
    assert client_of.ask("HEAD", old).status == 404
    upkeep.tidy()
    assert len(left()) == 4  # the clock may have been set wrong, and be set right again
    monkeypatch.setattr(uploads, "SURELY_OLD", 0)
    upkeep.tidy()
    assert len(left()) == 2 and client_of.offset(young) == 50


@pytest.mark.parametrize(
    "name",
    ["docs/uploads.md", "docs/operations.md"],
)
def test_documents_say_for_how_many_days_uploads_are_kept(name):
    text = (settings.BASE_DIR / name).read_text(encoding="utf-8")
    said = re.findall(r"(?:arrived|came|upload)[^.]* kept (?:there )?for (\d+) days", text)
    assert said and set(said) == {str(upload_limits.KEPT_DAYS)}


@pytest.mark.parametrize("script", ["transfer.js", "upload.js"])
def test_scripts_say_it_as_the_page_tells_them(script, client):
    page = client.get(reverse("home")).content.decode()
    assert f'data-days-kept="{upload_limits.KEPT_DAYS}"' in page
    text = (settings.BASE_DIR / "static" / "js" / script).read_text(encoding="utf-8")
    said = re.findall(r"kept (?:there )?for (\S+) days", text)
    assert said and all(days.endswith("daysKept}") for days in said)


def test_work_that_was_broken_off_is_tidied_after_a_day(monkeypatch):
    monkeypatch.setattr(uploads, "SURELY_OLD", 0)
    folder = settings.FILE_UPLOAD_TEMP_DIR / "taken-abc"
    folder.mkdir()
    form = settings.FILE_UPLOAD_TEMP_DIR / "tmp123.upload.csv"
    form.write_bytes(b"x")
    upkeep.tidy()
    assert folder.exists() and form.exists()
    for path in (folder, form):
        os.utime(path, (1, time.time() - 25 * 3600))
    upkeep.tidy()
    assert not left()


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("POST", "/uploads/", {"Tus_Resumable": ""}, 412),
        ("POST", "/uploads/", {"Tus_Resumable": "0.2"}, 412),
        ("POST", "/uploads/", {}, 400),
        ("POST", "/uploads/", {"Upload_Length": "-5"}, 400),
        ("POST", "/uploads/", {"Upload_Length": "x"}, 400),
        ("POST", "/uploads/", {"Upload_Length": "5", "Upload_Metadata": "filename ###"}, 400),
        ("POST", "/uploads/", {"Upload_Length": "5", "Upload_Metadata": "filename é"}, 400),
        (
            "POST",
            "/uploads/",
            {"Upload_Length": "5", "Upload_Metadata": "filename " + "QUFB" * 10_000},
            400,
        ),
        ("PUT", "/uploads/", {}, 405),
        ("GET", "/uploads/", {}, 405),
        ("HEAD", "/uploads/nothing/", {}, 404),
        ("HEAD", "/uploads/..%2F..%2Fsecret-key/", {}, 404),
        ("HEAD", "/uploads/" + "a" * 22 + "/", {}, 404),
    ],
)
def test_what_is_not_the_protocol_is_refused(client_of, method, path, headers, status):
    assert client_of.ask(method, path, **headers).status == status
    assert not left()


def test_a_part_needs_its_type_and_fits(client_of):
    at = client_of.create(10).location
    assert client_of.patch(at, 0, b"x", Content_Type="text/plain").status == 415
    assert client_of.patch(at, 0, b"x" * 11).status == 413
    assert (
        client_of.ask(
            "PATCH",
            at,
            iter([b"x" * 8, b"x" * 8]),
            Upload_Offset=0,
            Content_Type="application/offset+octet-stream",
        ).status
        == 413
    )
    assert client_of.offset(at) <= 10
    assert (
        client_of.ask(
            "POST",
            at,
            b"x" * (10 - client_of.offset(at)),
            X_HTTP_Method_Override="PATCH",
            Upload_Offset=client_of.offset(at),
            Content_Type="application/offset+octet-stream",
        ).offset
        == 10
    )


# Who asks
# ---------------------------------------------------------------------------------------------------------


def test_pages_of_other_sites_are_refused(client_of, server):
    at = client_of.create(10).location
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://[::1"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ):
        assert client_of.create(10, **headers).status == 403
        assert client_of.patch(at, 0, b"x", **headers).status == 403
        assert client_of.ask("DELETE", at, **headers).status == 403
    assert (
        client_of.ask(
            "OPTIONS", at, Origin="https://evil.example", Access_Control_Request_Method="PATCH"
        ).status
        == 403
    )
    # A name that was bound to this address
    assert client_of.create(10, Host="evil.example").status == 403
    assert (
        client_of.create(
            10, Origin=f"http://127.0.0.1:{server.port}", Sec_Fetch_Site="same-origin"
        ).status
        == 201
    )


# Limits
# -----------------------------------------------------------------------------------------------------------


def test_larger_than_is_taken(strict):
    tus = strict
    assert tus.ask("OPTIONS", "/uploads/").headers["Tus-Max-Size"] == "1000"
    answer = tus.create(1001, "big.csv")
    assert answer.status == 413 and "“big.csv” has 1,001 bytes" in json.loads(answer.body)["error"]
    assert tus.create(1000).status == 201


def test_several_that_are_larger_together(client_of, client, settings):
    settings.MAX_UPLOAD = 8
    pair = client_of.create(5, "a.txt", b"words"), client_of.create(5, "b.txt", b"words")
    response = client.post(
        reverse("corpora"), {"uploads": ids(*pair)}, HTTP_ACCEPT="application/json"
    )
    assert response.status_code == 413 and "10 bytes together" in response.json()["error"]
    assert len(left()) == 4


def test_a_disk_that_is_short(full):
    answer = full.create(1 << 40, "huge.csv")
    assert answer.status == 507 and "short of space" in json.loads(answer.body)["error"]
    assert not left()


def test_a_disk_that_fills_while_it_arrives(client_of, full):
    """What came is kept, and goes on when there is room again."""
    tus = client_of
    content = os.urandom(6 * MEGABYTE)
    at = tus.create(len(content)).location
    tus.patch(at, 0, content[:MEGABYTE])
    answer = full.patch(at, MEGABYTE, content[MEGABYTE:])
    assert answer.status == 507 and "make room" in json.loads(answer.body)["error"]
    now = tus.offset(at)
    assert now >= MEGABYTE and tus.patch(at, now, content[now:]).offset == len(content)
    assert stored(at) == content


def test_no_byte_of_the_disk_is_promised_twice(monkeypatch):
    """Uploads that have only begun take their place on the disk: what is free shrinks with each."""
    mega, free = 200 * MEGABYTE, disk.free(settings.FILE_UPLOAD_TEMP_DIR)
    monkeypatch.setattr(upload_limits, "reserve", lambda: free - 5 * mega)
    begun = 0
    with pytest.raises(uploads.Refused, match="short of space"):
        while begun < 50:
            uploads.create(mega, "a.txt")
            begun += 1
    assert 2 <= begun <= 5


def test_what_an_idle_upload_was_promised_is_free_after_an_hour():
    upload = uploads.create(50 * MEGABYTE, "a.txt")
    writing = UploadWriter(upload)
    writing.write([b"x" * MEGABYTE])
    writing.close()
    took = upload.path.stat().st_blocks * 512
    os.utime(upload.path, (1, time.time() - uploads.IDLE - 60))
    before = upload.path.stat().st_mtime
    uploads.remove_expired()
    kept = upload.path.stat()
    assert took >= 50 * MEGABYTE and kept.st_blocks * 512 < 3 * MEGABYTE
    # It is gone after seven days all the same
    assert kept.st_size == MEGABYTE and kept.st_mtime == before
    writing = UploadWriter(upload)  # it goes on, and has its place again
    assert upload.path.stat().st_blocks * 512 >= 50 * MEGABYTE
    writing.close()


def test_one_user_takes_half_of_the_disk_at_most(settings, monkeypatch, db):
    settings.ACCOUNTS = True
    settings.MOST = {"bytes": None, "documents": None, "jobs": None}
    user = User.objects.create_user("greedy@example.org", "greedy")
    other = User.objects.create_user("modest@example.org", "modest")
    room = disk.free(settings.FILE_UPLOAD_TEMP_DIR)
    monkeypatch.setattr(upload_limits, "reserve", lambda: room - 400 * MEGABYTE)
    uploads.create(100 * MEGABYTE, "a.txt", owner=user.pk)
    with pytest.raises(uploads.Refused, match="half of the space"):
        for _ in range(10):
            uploads.create(50 * MEGABYTE, "b.txt", owner=user.pk)
    uploads.create(50 * MEGABYTE, "c.txt", owner=other.pk)


def test_each_note_is_read_once_however_many_uploads_begin(settings, monkeypatch, db):
    settings.ACCOUNTS = True
    settings.MOST = {"bytes": 10_000, "documents": None, "jobs": None}
    user = User.objects.create_user("many@example.org", "many")
    real = Path.read_bytes
    read = []

    def read_bytes(path: Path) -> bytes:
        read.append(path.name)
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    begun = [uploads.create(1_000, "a.txt", owner=user.pk) for _ in range(10)]
    mine = {f"{upload.id}.json" for upload in begun}
    assert max(read.count(name) for name in mine) == 1
    with pytest.raises(uploads.Refused, match="10.0 kB in all"):
        uploads.create(1, "b.txt", owner=user.pk)
    uploads.remove(begun[0])
    uploads.create(1_000, "c.txt", owner=user.pk)  # what is gone counts no more


def test_uploads_that_begin_at_once_are_not_promised_the_same_bytes(monkeypatch):
    """Of four that each want more than half of what there is, one may, and not none."""
    real, begun, gate = disk.free, [], threading.Barrier(4)
    free = real(settings.FILE_UPLOAD_TEMP_DIR)
    # So large that what other tests write and remove meanwhile decides nothing: the disk is theirs too
    monkeypatch.setattr(upload_limits, "reserve", lambda: free - 1600 * MEGABYTE)
    # In which the others ask
    monkeypatch.setattr(disk, "free", lambda *given: (real(*given), time.sleep(0.3))[0])

    def begin() -> None:
        gate.wait()
        with contextlib.suppress(uploads.Refused):
            begun.append(uploads.create(1000 * MEGABYTE, "a.txt"))

    at_once(begin, 4)
    assert len(begun) == 1


def at_once(what, times: int) -> None:
    threads = [threading.Thread(target=what) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.django_db(transaction=True)
def test_two_connections_of_one_user_do_not_have_the_same_half(settings, monkeypatch):
    """Each counts what the other has begun: the user's row is locked, in Postgres."""
    settings.ACCOUNTS = True
    settings.MOST = {"bytes": None, "documents": None, "jobs": None}
    user = User.objects.create_user("greedy@example.org", "greedy")
    room, real, begun, gate = (
        disk.free(settings.FILE_UPLOAD_TEMP_DIR),
        upload_limits.bytes_arriving,
        [],
        threading.Barrier(4),
    )
    monkeypatch.setattr(upload_limits, "reserve", lambda: room - 1600 * MEGABYTE)

    def slowly(owner: int) -> int:
        has = real(owner)
        time.sleep(0.3)  # in which the others ask
        return has

    monkeypatch.setattr(upload_limits, "bytes_arriving", slowly)

    def begin() -> None:
        gate.wait()
        with contextlib.suppress(uploads.Refused):
            begun.append(uploads.create(480 * MEGABYTE, "a.txt", owner=user.pk))
        database.close()

    at_once(begin, 4)
    assert len(begun) == 1


def test_no_space_left(monkeypatch):
    """The disk's own word, in the middle of a block: the first half is kept."""
    upload = uploads.create(10, "a.txt")
    real = os.writev

    def half(file, pieces):
        real(file, [pieces[0][:5]])
        return 5

    def full(file, rest):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "writev", half)
    monkeypatch.setattr(os, "write", full)
    writing = UploadWriter(upload)
    with pytest.raises(uploads.Refused, match="disk is full") as refused:
        writing.write([b"0123456789"])
    writing.close()
    assert refused.value.status == 507 and upload.offset == 5
    monkeypatch.undo()
    writing = UploadWriter(upload)
    writing.write([b"56789"])
    writing.close()
    assert upload.path.read_bytes() == b"0123456789"
    with uploads.claim([upload.id]) as arrived:
        assert (
            corpora.create("", arrived).files.get().sha256
            == hashlib.sha256(b"0123456789").hexdigest()
        )


def test_a_disk_that_fails_leaves_no_hash_of_what_is_not_in_the_file(monkeypatch):
    upload = uploads.create(10, "a.txt")
    writing = UploadWriter(upload)
    monkeypatch.setattr(os, "writev", Mock(side_effect=OSError(errno.EIO, "Input/output error")))
    with pytest.raises(OSError, match="Input/output"):
        writing.write([b"01234XXXXX"])
    writing.close()
    monkeypatch.undo()
    writing = UploadWriter(upload)
    writing.write([b"0123456789"])
    writing.close()
    with uploads.claim([upload.id]) as arrived:
        stored = corpora.create("", arrived).files.get()
    assert stored.sha256 == hashlib.sha256(b"0123456789").hexdigest()


# Clients that stall or vanish
# -------------------------------------------------------------------------------------


def test_a_client_that_stalls_is_let_go(strict):
    tus = strict
    at = tus.create(1000).location
    with tus.begin(at, 0, 1000, b"x" * 400) as connection:
        wait_for_writer(at)
        assert tus.patch(at, 0, b"x").status == 423
        assert b"408" in connection.recv(1000)
    assert tus.offset(at) == 400 and tus.patch(at, 400, b"x" * 600).offset == 1000


def test_many_that_vanish_stop_nobody(client_of):
    """A hundred connections that say nothing more, while another one uploads."""
    at = [client_of.create(1000).location for _ in range(100)]
    gone = [client_of.begin(one, 0, 1000, b"x" * 10) for one in at]
    content = os.urandom(MEGABYTE)
    assert client_of.create(len(content), body=content).offset == len(content)
    for connection in gone:
        # RST, as of a machine that crashed
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()
    for one in at:
        client_of.wait_for(one, 10)
        assert client_of.patch(one, 10, b"x" * 990).status == 204


def test_slow_parts_never_take_the_places_of_pages(server, client_of):
    """Three hundred to one upload, as many as an attacker likes to others: pages are answered, and
    the one that writes goes on."""
    at = client_of.create(100_000).location
    connections = [client_of.begin(at, 0, 100_000, b"x" * 10)]
    client_of.wait_for(at, 0)
    others = [client_of.create(1000).location for _ in range(60)]
    connections += [client_of.begin(at, 0, 100_000, b"x") for _ in range(120)]
    connections += [client_of.begin(one, 0, 1000, b"x") for one in others]
    waited = []
    for _ in range(5):
        began = time.monotonic()
        # It passes through the places of pages
        assert client_of.ask("GET", "/no/such/page/").status == 404
        waited.append(time.monotonic() - began)
    assert min(waited) < 5 and max(waited) < 20
    for connection in connections:
        connection.close()


def test_one_user_has_so_many_parts_that_arrive(monkeypatch, settings):
    settings.ACCOUNTS = True
    monkeypatch.setattr(upload_views, "MOST_PARTS_AT_ONCE", 2)
    held = [upload_views.arriving(7), upload_views.arriving(7), upload_views.arriving(8)]
    for one in held:
        one.__enter__()
    with (
        pytest.raises(
            upload_limits.Refused, match="2 parts of your files arrive already"
        ) as refused,
        upload_views.arriving(7),
    ):
        pass
    assert refused.value.status == 429
    held[0].__exit__(None, None, None)
    with upload_views.arriving(7):
        pass
    for one in held[1:]:
        one.__exit__(None, None, None)
    assert not upload_views.arriving_parts
    # While accounts are off there is nobody else to be burdened
    with contextlib.ExitStack() as stack:
        for _ in range(5):
            stack.enter_context(upload_views.arriving(None))


@pytest.fixture
def fresh():
    """One that has done nothing before."""
    server = Server().start()
    yield server
    server.stop()


def test_memory_stays_flat(fresh):
    """200 MB in parts of 64 MB."""
    tus = Client(fresh.port)
    tus.create(4 * MEGABYTE, body=os.urandom(4 * MEGABYTE))
    before = fresh.memory()
    part = os.urandom(64 * MEGABYTE)
    at = tus.create(200 * MEGABYTE).location
    for offset in range(0, 200 * MEGABYTE, 64 * MEGABYTE):
        assert tus.patch(at, offset, part[: 200 * MEGABYTE - offset]).status == 204
    assert fresh.memory() - before < 40 * MEGABYTE
    with uploads.find(at.strip("/").split("/")[1]).path.open("rb") as file:
        assert all(file.read(64 * MEGABYTE) in (part, part[: 8 * MEGABYTE]) for _ in range(4))


def test_a_hash_that_can_not_keep_up_is_left_for_later(monkeypatch):
    waiting = threading.Event()
    monkeypatch.setattr(
        upload_writer,
        "update_hash",
        lambda hash, pieces: waiting.wait(10) and [hash.update(p) for p in pieces],
    )
    upload = uploads.create(15, "a.txt")
    writing = UploadWriter(upload)
    for _ in range(3):
        writing.write([b"words"])
    waiting.set()
    writing.close()
    assert uploads.find(upload.id).sha256 == ""
    with uploads.claim([upload.id]) as arrived:
        assert (
            corpora.create("", arrived).files.get().sha256
            == hashlib.sha256(b"words" * 3).hexdigest()
        )


# Names
# ------------------------------------------------------------------------------------------------------------

HOSTILE = [
    ("../../secret-key", "secret-key"),
    ("/etc/passwd", "etc/passwd"),
    ("C:\\letters\\a.txt", "C:/letters/a.txt"),
    ("a\0b\n.txt", "ab.txt"),
    ("<script>alert(1)</script>.txt", "<script>alert(1)</script>.txt"),
    ("x" * 5000 + ".csv", "x" * 996 + ".csv"),
    ("", "untitled"),
    ("..", "untitled"),
    ("./a/../b.txt", "a/b.txt"),
    ("\u202etxt.csv", "txt.csv"),
    ("نامه\u200cها.txt", "نامه\u200cها.txt"),
    ("😀 é.txt", "😀 é.txt"),
]


@pytest.mark.parametrize(("name", "kept"), HOSTILE)
def test_names_are_labels(client_of, client, name, kept):
    corpus = made(
        client,
        client_of.create(
            5, "ignored", b"words", metadata={"relativePath": name} if name else {"filename": ""}
        ),
    )
    assert corpus.files.get().name == kept
    page = client.get(reverse("corpus_prepare", args=[corpus.pk]), follow=True).content.decode()
    assert "<script>alert" not in page
    assert [p.name for p in (files.corpus_folder(corpus.pk) / "source").iterdir()] == ["000000"]


def test_a_name_of_many_characters_is_refused_or_cut(client_of):
    assert client_of.create(5, "x" * 10_000).status == 201
    assert client_of.create(5, "x" * 20_000).status == 400


def test_folders_stay_in_names_and_numbers_count(client_of, client):
    names = ["letters/1901/a 10.txt", "letters/1901/a 2.txt", "letters/1899/z.txt"]
    corpus = made(
        client, *[client_of.create(1, body=b"x", metadata={"relativePath": name}) for name in names]
    )
    assert [f.name for f in corpus.files.all()] == [
        "letters/1899/z.txt",
        "letters/1901/a 2.txt",
        "letters/1901/a 10.txt",
    ]


# Packs of small files
# ---------------------------------------------------------------------------------------------


def pack_of(*members: tuple[str, bytes], kind: bytes = tarfile.REGTYPE) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as pack:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size, info.type, info.linkname = (
                (len(content), kind, "/etc/passwd")
                if kind == tarfile.REGTYPE
                else (0, kind, "/etc/passwd")
            )
            pack.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def test_a_pack_is_its_files(client_of, client):
    content = pack_of(
        ("letters/1901/b.txt", b"second"), ("../é" + "x" * 300 + ".txt", b""), ("a.txt", b"first")
    )
    packed = client_of.create(len(content), "pack", content, metadata={"pack": "1"})
    corpus = made(client, packed, client_of.create(5, "letters/1901/a.txt", b"words"))
    assert [(f.name[:20], f.bytes) for f in corpus.files.all()] == [
        ("a.txt", 5),
        ("letters/1901/a.txt", 5),
        ("letters/1901/b.txt", 6),
        ("é" + "x" * 19, 0),
    ]
    for file in corpus.files.all():
        assert file.sha256 == hashlib.sha256((settings.FILES / file.path).read_bytes()).hexdigest()
    assert not left()


def test_a_tar_file_of_ones_own_stays_one_file(client_of, client):
    content = pack_of(("a.txt", b"x"))
    assert (
        made(client, client_of.create(len(content), "mine.tar", content)).files.get().name
        == "mine.tar"
    )


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE]
)
def test_links_and_devices_of_a_pack_are_no_files(client_of, client, kind):
    content = pack_of(("evil", b""), kind=kind)
    good = pack_of(("a.txt", b"x"))
    pair = [client_of.create(len(c), "pack", c, metadata={"pack": "1"}) for c in (content, good)]
    assert [f.name for f in made(client, *pair).files.all()] == ["a.txt"]


@pytest.mark.parametrize(
    "content", [b"nothing of the kind" * 100, pack_of(("a.txt", b"x" * 5000))[:2000]]
)
def test_a_broken_pack_is_refused_and_leaves_nothing(client_of, client, content):
    packed = client_of.create(len(content), "pack", content, metadata={"pack": "1"})
    before = Corpus.objects.count()
    response = client.post(
        reverse("corpora"), {"uploads": ids(packed)}, HTTP_ACCEPT="application/json"
    )
    assert response.status_code == 400 and "could not be opened" in response.json()["error"]
    assert not left() and Corpus.objects.count() == before


def test_a_pack_is_bounded(client_of):
    assert (
        client_of.create(uploads.MOST_PACK_BYTES + 1, "pack", metadata={"pack": "1"}).status == 413
    )


# The corpus
# -------------------------------------------------------------------------------------------------------


def test_only_what_has_arrived_becomes_a_corpus(client_of, client):
    whole = client_of.create(5, "a.txt", b"words")
    part = client_of.create(1000, "b.txt", b"x")
    before = Corpus.objects.count()
    missing = "no such upload"
    for wrong, status, said in (
        (ids(whole, part), 409, "“b.txt” has not arrived whole: 1 of 1,000 bytes"),
        ("x" * 22, 404, missing),
        ("../..", 404, missing),
    ):
        response = client.post(
            reverse("corpora"), {"uploads": wrong}, HTTP_ACCEPT="application/json"
        )
        assert response.status_code == status and said in response.json()["error"]
    assert Corpus.objects.count() == before and len(left()) == 4
    made(client, whole)
    response = client.post(
        reverse("corpora"), {"uploads": ids(whole)}, HTTP_ACCEPT="application/json"
    )
    assert response.status_code == 404  # once


def arrived(name: str) -> uploads.IncomingFile:
    upload = uploads.create(5, name)
    upload.path.write_bytes(b"words")
    return upload


def test_uploads_of_which_a_request_makes_a_corpus_are_refused_to_others():
    """A form that is sent twice makes one corpus."""
    first, second, other = (arrived(name) for name in ("a.txt", "b.txt", "c.txt"))
    with uploads.claim([first.id, second.id]):
        for ids_of_another in ([first.id, second.id], [other.id, second.id]):
            with (
                pytest.raises(uploads.Refused, match="by another request") as refused,
                uploads.claim(ids_of_another),
            ):
                pass
            assert refused.value.status == 409
        with uploads.claim([other.id]) as files_of_other:
            assert [file.name for file in files_of_other] == ["c.txt"]
    with pytest.raises(uploads.Refused, match="no such upload"), uploads.claim([second.id]):
        pass


def test_uploads_are_free_again_when_a_request_has_failed_or_was_killed():
    upload = arrived("a.txt")
    with pytest.raises(RuntimeError), uploads.claim([upload.id]):
        raise RuntimeError("the database is away")
    left_by_a_killed_process = settings.FILE_UPLOAD_TEMP_DIR / "claim-0"
    left_by_a_killed_process.write_text(json.dumps([upload.id]))
    with uploads.claim([upload.id]) as claimed:
        assert [file.name for file in claimed] == ["a.txt"]
    assert not list(settings.FILE_UPLOAD_TEMP_DIR.glob("claim-*"))


def test_when_the_corpus_can_not_be_made_the_uploads_stay(client_of, client, monkeypatch):
    packed = pack_of(("b.txt", b"words"))
    pair = (
        client_of.create(5, "a.txt", b"words"),
        client_of.create(len(packed), "pack", packed, metadata={"pack": "1"}),
    )
    before = left()

    def broken(*_, **__):
        raise RuntimeError("the database is away")

    with monkeypatch.context() as patched:
        patched.setattr("webapp.intake.ingest.storing.SourceFile.objects.bulk_create", broken)
        assert (
            client.post(
                reverse("corpora"), {"uploads": ids(*pair)}, HTTP_ACCEPT="application/json"
            ).status_code
            == 500
        )
    assert left() == before
    assert made(client, *pair).files.count() == 2
