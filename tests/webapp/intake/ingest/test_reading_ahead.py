"""Worker processes read large files, the next ones of many and of an archive's: what comes of a
corpus is the same."""

import os
import signal
from dataclasses import asdict

import pytest

from tasks.corpora import read_corpus
from tests.bad_input import member, tarred, zipped
from tests.corpora import as_csv, example_rows
from tests.webapp.intake.file_formats.reading import EXAMPLES
from tests.webapp.intake.ingest.test_reading import damaged, report, rows, words
from webapp.intake.file_formats import dispatch, sandbox
from webapp.intake.ingest import corpora, guesses, read_files
from webapp.intake.ingest.shaping import Shaping
from webapp.models import Corpus
from webapp.platform.storage import files

pytestmark = pytest.mark.django_db(transaction=True)
LATER = as_csv(example_rows(60))
UPLOADS = {
    "a.csv": damaged(),
    **{
        name: (EXAMPLES / name).read_bytes()
        for name in ("address.pdf", "address.html", "address.docx", "letters.mbox")
    },
    **{f"{i:02d}.html": f"<h1>Page {i}</h1><p>{'peace and war ' * i}</p>" * 20 for i in range(12)},
    "broken.pdf": b"%PDF-1.4 no",
    "empty.html": b"",
    "cyrillic.csv": (
        ("id,text\n" + "".join(f"{i},жизнь и труд {i}\n" for i in range(80))).encode("koi8-r")
    ),
    "no column.csv": b"a,b\n1,2\n" * 40,
    "packed.html.gz": b"no gzip",
    "words.txt": "war and peace " * 500,
    "z.csv": LATER,
}


@pytest.fixture
def started(monkeypatch):
    """Worker processes are used for everything; those that were started."""
    sandbox.close()
    processes = []
    real = sandbox.WorkerProcess.__init__
    monkeypatch.setattr(
        sandbox.WorkerProcess, "__init__", lambda self: real(self) or processes.append(self.process)
    )
    use(monkeypatch)
    yield processes
    sandbox.close()


def use(monkeypatch):
    monkeypatch.setattr(sandbox, "processes", lambda: 3)
    monkeypatch.setattr(dispatch, "LARGE_BYTES", 0)
    monkeypatch.setattr(read_files, "CHUNK_CHARACTERS", 5_000)


def left(processes) -> int:
    """Of these the ones that have not ended, but for that which waits for the next file."""
    return sum(process.poll() is None for process in processes) - len(sandbox.WorkerProcess.waiting)


def queued(tmp_path, uploads: dict, **settings) -> Corpus:
    received = []
    for name, content in uploads.items():
        path = tmp_path / f"upload-{len(list(tmp_path.iterdir()))}"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        received.append(corpora.ReceivedFile(name, path))
    corpus = corpora.create("Many", received)
    options = asdict(guesses.sniff(corpus).options)
    defaults = {"language": "en", "min_documents": 2}
    corpora.read(corpus, corpora.ReadingSettings(options=options, **defaults | settings))
    return corpus


def read(corpus: Corpus) -> Corpus:
    read_corpus(corpus.pk)
    return Corpus.objects.select_related("version").get(pk=corpus.pk)


def outcome(corpus: Corpus) -> tuple:
    assert corpus.status == "ready", corpus.error
    columns = ("position", "name", "error", "documents", "problems", "first", "encoding", "read")
    progress = {key: value for key, value in corpus.progress.items() if key != "stream"}
    stream = {
        path.name: path.read_bytes()
        for path in sorted((files.corpus_folder(corpus.pk) / "tokens").iterdir())
        if path.suffix != ".json"
    }
    return (
        rows(corpus),
        words(corpus.version),
        report(corpus),
        list(corpus.files.order_by("position").values_list(*columns)),
        progress,
        stream,
        corpus.version.report,
        corpus.report,
        corpus.bytes_read,
    )


SHAPINGS = [
    {},
    {"sections": "words", "length": 100},
    {"join": ("party",), "period": "year", "names": True},
]


@pytest.mark.parametrize("shaping", SHAPINGS, ids=["as they are", "cut", "joined"])
def test_many_files_give_the_same_in_their_order(tmp_path, monkeypatch, started, shaping):
    settings = {"shaping": asdict(Shaping(**shaping))}
    monkeypatch.setattr(sandbox, "processes", lambda: 1)
    monkeypatch.setattr(dispatch, "LARGE_BYTES", 1 << 60)
    one_by_one = outcome(read(queued(tmp_path, UPLOADS, **settings)))
    use(monkeypatch)
    ahead = outcome(read(queued(tmp_path, UPLOADS, **settings)))
    for one, other in zip(one_by_one, ahead, strict=True):
        assert one == other
    assert len(started) > 2 and left(started) == 0


ARCHIVED = {
    "folder/notes.exe": b"MZ",
    **{f"{i:02d}.{kind}": b"nothing of use" for i in range(10, 12) for kind in ("exe", "png")},
    **UPLOADS,
    "inner.zip": zipped(
        ("a.html", "<p>war</p>"),
        ("b.pdf", b"%PDF-1.4 no"),
        ("c.txt", "and peace"),
        ("d.html", "<p>won</p>"),
    ),
    "last.html": "<p>the last of all</p>",
}


def damaged_pdf(archive: bytes) -> bytes:
    """The archive with a wrong byte in the middle of an entry: without its end, a ZIP can't be read
    at all."""
    at = archive.index(b"address.pdf") + 2_000
    return archive[:at] + bytes([archive[at] ^ 0xFF]) + archive[at + 1 :]


ALL_ZIP = zipped(*ARCHIVED.items())
ALL_TAR = tarred(
    *((member(name), c if isinstance(c, bytes) else c.encode()) for name, c in ARCHIVED.items())
)
ARCHIVES = {
    "all.zip": (ALL_ZIP, b"notes.exe"),
    "all.tar.gz": (ALL_TAR, b"notes.exe"),
    "damaged.zip": (damaged_pdf(ALL_ZIP), b"is damaged"),
    "cut.tar.gz": (ALL_TAR[:-2_000], b"what follows was left out"),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_entries_of_an_archive_give_the_same_in_their_order(tmp_path, monkeypatch, started, name):
    content, said = ARCHIVES[name]
    uploads = {"0.txt": "before it", name: content, "z.html": "<p>after it</p>"}
    monkeypatch.setattr(sandbox, "processes", lambda: 1)
    one_by_one = outcome(read(queued(tmp_path, uploads)))
    monkeypatch.setattr(sandbox, "processes", lambda: 3)
    most = []
    real = sandbox.begin
    monkeypatch.setattr(
        sandbox, "begin", lambda *a: (real(*a), most.append(sandbox.Request.open))[0]
    )
    corpus = read(queued(tmp_path, uploads))
    for one, other in zip(one_by_one, outcome(corpus), strict=True):
        assert one == other
    assert said in report(corpus)
    assert max(most) == 3 and left(started) == 0 and sandbox.Request.open == 0


@pytest.mark.parametrize("stage", ["write_words", "copy_rows"])
def test_a_task_that_is_killed_goes_on(tmp_path, monkeypatch, started, stage):
    undisturbed = outcome(read(queued(tmp_path, UPLOADS)))
    corpus = queued(tmp_path, UPLOADS)
    whole = getattr(read_files.ReadAttempt, stage)
    left_to_do = [3, 2, 4]
    kept = -1
    for more in left_to_do:
        done = []

        def killed(self, *arguments, done=done, more=more):
            if len(done) == more:
                raise KeyboardInterrupt
            done.append(1)
            return whole(self, *arguments)

        monkeypatch.setattr(read_files.ReadAttempt, stage, killed)
        with pytest.raises(KeyboardInterrupt):
            read_corpus(corpus.pk)
        assert left(started) == 0
        monkeypatch.setattr(read_files.ReadAttempt, stage, whole)
        Corpus.objects.filter(pk=corpus.pk).update(status="queued")
        before = kept
        kept = Corpus.objects.get(pk=corpus.pk).progress["documents"]
        assert kept > before
    for one, other in zip(undisturbed, outcome(read(corpus)), strict=True):
        assert one == other


@pytest.fixture
def killing(monkeypatch):
    """Call it with the name of a file: from then on the worker process that should read it is
    killed."""
    real = sandbox.begin
    name = []

    def begin(source, *arguments):
        request = real(source, *arguments)
        if arguments[0] in name:
            os.kill(request.worker.process.pid, signal.SIGKILL)
        return request

    monkeypatch.setattr(sandbox, "begin", begin)
    return name.append


def test_a_worker_process_that_is_killed_costs_one_file(tmp_path, killing, started):
    killing("b.csv")
    some = {"a.csv": LATER, "b.csv": LATER * 50, "c.csv": LATER, "d.html": UPLOADS["address.html"]}
    corpus = read(queued(tmp_path, some))
    documents = dict(corpus.files.values_list("name", "documents"))
    assert documents["a.csv"] == documents["c.csv"] == 60
    assert documents["d.html"] == 1 and documents["b.csv"] < 50 * 60
    errors = dict(corpus.files.exclude(error="").values_list("name", "error"))
    assert (
        list(errors) == ["b.csv"] and "the program that reads such files stopped" in errors["b.csv"]
    )
    assert b"b.csv" in report(corpus) and left(started) == 0


def test_one_that_is_killed_sooner_than_its_task_was_is_told_of(
    tmp_path, killing, monkeypatch, started
):
    corpus = queued(tmp_path, {"a.csv": LATER * 20})
    whole = read_files.ReadAttempt.copy_rows
    done = []

    def killed(self, *arguments):
        if len(done) == 4:
            raise KeyboardInterrupt
        done.append(1)
        return whole(self, *arguments)

    monkeypatch.setattr(read_files.ReadAttempt, "copy_rows", killed)
    with pytest.raises(KeyboardInterrupt):
        read_corpus(corpus.pk)
    monkeypatch.setattr(read_files.ReadAttempt, "copy_rows", whole)
    kept = Corpus.objects.get(pk=corpus.pk).progress["documents"]
    Corpus.objects.filter(pk=corpus.pk).update(status="queued")
    killing("a.csv")
    corpus = read(corpus)
    assert kept > 4 and corpus.documents == len(rows(corpus)) == kept
    assert (
        "the program that reads such files stopped" in corpus.files.get().error
        and b"stopped" in report(corpus)
    )


def test_no_more_processes_than_there_may_be(tmp_path, monkeypatch, started):
    most = []
    real = sandbox.begin

    def begin(*arguments):
        request = real(*arguments)
        most.append(sum(process.poll() is None for process in started))
        return request

    monkeypatch.setattr(sandbox, "begin", begin)
    read(queued(tmp_path, {f"{i}.html": f"<p>{'war and peace ' * 50}{i}</p>" for i in range(30)}))
    assert max(most) == 3 and len(started) == 3  # each reads many files
