"""What may be spent on looking into an upload: it ends in time, with whoever asked for it, and is
bounded for all."""

import contextlib
import threading
import time
import zipfile

import pytest

from webapp.intake import file_formats
from webapp.intake.file_formats import looking, sandbox
from webapp.intake.file_formats.looking import Exhausted

DEPTH = 12
EACH = 12


def slow_pdf() -> bytes:
    """Forms that hold forms that hold forms: 12 times 12 times 12 … of them to draw, in two
    kilobytes."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        (
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</XObject<</F 5"
            b" 0 R>>>>>>"
        ),
        b"<</Length 4>>stream\n/F Do\nendstream",
    ]
    for i in range(DEPTH):
        inner = f"/Resources<</XObject<</F {6 + i} 0 R>>>>" if i < DEPTH - 1 else ""
        body = "/F Do " * EACH if inner else "BT (x) Tj ET"
        objects.append(
            f"<</Type/XObject/Subtype/Form/BBox[0 0 9 9]{inner}/Length"
            f" {len(body)}>>stream\n{body}\nendstream".encode()
        )
    out = b"%PDF-1.4\n"
    places = []
    for i, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (i, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return (
        out + b"xref\n0 %d\n0000000000 65535 f \n%btrailer<</Root 1 0 R/Size"
        b" %d>>\nstartxref\n%d\n%%%%EOF"
        % (
            len(objects) + 1,
            table,
            len(objects) + 1,
            len(out),
        )
    )


@pytest.fixture
def forty(tmp_path):
    """A zip of forty such files, one of which takes minutes."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        for i in range(40):
            file.writestr(f"{i}.pdf", slow_pdf())
    return tmp_path / "a.zip"


@pytest.fixture(autouse=True)
def fresh():
    sandbox.close()
    yield
    sandbox.close()


def test_the_whole_upload_ends_in_time(forty):
    began = time.monotonic()
    with pytest.raises(Exhausted, match="took longer than 3 seconds"), looking.within(3):
        file_formats.sniff(forty, "a.zip")
    assert time.monotonic() - began < 30  # one of them alone has 60 seconds of processor time
    assert not sandbox.WorkerProcess.waiting  # its process is gone


def test_it_ends_with_whoever_asked(forty):
    gone = threading.Event()
    ended = []

    def ask():
        with pytest.raises(Exhausted, match="Nobody waits"), looking.within(600, gone.is_set):
            file_formats.sniff(forty, "a.zip")
        ended.append(time.monotonic())

    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(1)
    gone.set()
    thread.join(20)
    assert ended


def test_so_many_processes_and_no_more_for_everybody(forty, monkeypatch):
    begun = []
    most = []
    real = sandbox.WorkerProcess.__init__

    def counted(self):
        real(self)
        begun.append(self)
        most.append(sum(one.process.poll() is None for one in begun))

    monkeypatch.setattr(sandbox.WorkerProcess, "__init__", counted)

    def ask():
        with pytest.raises(Exhausted), looking.within(4):
            file_formats.sniff(forty, "a.zip")

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 1 <= max(most) <= looking.CHILDREN
    with looking.within(4), contextlib.ExitStack() as places:
        for _ in range(looking.CHILDREN):  # all places are free again
            places.enter_context(looking.child())


def test_bytes_are_bounded_too(tmp_path, monkeypatch):
    monkeypatch.setattr(looking, "BYTES", 1 << 20)
    path = tmp_path / "a.csv"
    path.write_bytes(b"id,text\n" + b"1,words\n" * 1_000_000)
    with pytest.raises(Exhausted, match="read or unpacked"), looking.within(60):
        list(
            file_formats.read(
                path,
                "a.csv",
                file_formats.Options(format="csv", delimiter=",", header=True, text=1),
            )
        )


def test_outside_nothing_is_bounded(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"id,text\n" + b"1,words\n" * 10)
    looking.check()
    looking.spend(1 << 50)
    assert file_formats.sniff(path, "a.csv").options.text == 1
