"""Large files: made by a worker, kept within bounds, downloaded by whoever asked, and gone on with
where that was cut off."""

import hashlib
from datetime import timedelta

import pytest
from asgiref.sync import async_to_sync
from django.http import QueryDict
from django.test import AsyncClient
from django.urls import reverse
from django.utils import timezone

from inference.errors import Invalid
from tests.webapp.making import run_on
from tests.webapp.taking import taken
from webapp.models import Corpus, Export, Run, User
from webapp.platform.accounts.embargo import set_embargo
from webapp.platform.jobs import claims, dispatch, kinds, sweep
from webapp.platform.storage import files
from webapp.service.corpora import deletion
from webapp.service.exports import kept, making, sizes, tables
from webapp.service.exports.catalogue import EXPORT_KINDS
from webapp.service.operations import upkeep

pytestmark = pytest.mark.django_db
FILE = "document-topics.csv"


@pytest.fixture(autouse=True)
def sent(monkeypatch):
    """Files of more than a kilobyte are large. The messages to workers."""
    sent = []
    monkeypatch.setattr(sizes, "SENT", 1000)
    monkeypatch.setattr(dispatch, "send", lambda kind, pk: sent.append((kind, pk)))
    return sent


def asked(run, file: str = FILE, query: str = "") -> Export:
    return kept.ask(run, User.objects.local(), file, QueryDict(query))


def made(run, file: str = FILE, query: str = "") -> Export:
    export = asked(run, file, query)
    kept.make(export.pk)
    export.refresh_from_db()
    assert export.status == "ready", export.error
    return export


def got(export: Export, **headers):
    """(response, body) of its download."""

    async def get():
        url = reverse("export_kept", args=[export.run_id, export.pk, export.name])
        response = await AsyncClient().get(
            url, headers={name.replace("_", "-"): text for name, text in headers.items()}
        )
        if not response.streaming:
            return response, response.content
        return response, b"".join([piece async for piece in response.streaming_content])

    return async_to_sync(get)()


def listed(client, run, query: str = "") -> dict:
    return client.get(reverse("run_take_json", args=[run.pk]) + query).json()


def test_the_page_has_a_button_for_a_large_file_and_then_the_file(client, trained, sent):
    form = next(
        f
        for g in listed(client, trained)["groups"]
        for f in g["forms"]
        if f["name"] == "document-topics"
    )
    assert [f["ending"] for f in form["rows"][0]["files"]][0] == "parquet" and form["rows"][0][
        "files"
    ][0]["large"]
    html = client.get(reverse("run_take", args=[trained.pk])).content.decode()
    assert f'name="file" value="{FILE}"' in html and "Made for you" not in html
    answer = client.get(reverse("export", args=[trained.pk, FILE]))
    assert (
        answer.status_code == 400
        and "the page Files of the run has a button for it" in answer.content.decode()
    )
    answer = client.post(reverse("export_make", args=[trained.pk]), {"file": FILE, "q": "war"})
    assert answer["Location"] == reverse("run_take", args=[trained.pk]) + "?q=war#made"
    (row,) = listed(client, trained)["made"]
    assert (
        row["status"] == "queued"
        and row["sentence"].endswith("csv: documents with “war”")
        and row["url"] is None
    )
    assert sent == [(kinds.EXPORT, row["id"])]
    html = client.get(reverse("run_take", args=[trained.pk])).content.decode()
    assert "Waiting for a worker." in html and "js/part.js" in html
    kept.make(row["id"])
    (row,) = listed(client, trained)["made"]
    body = got(Export.objects.get())[1]
    assert (
        row["status"] == "ready"
        and row["bytes"] == len(body)
        and row["sha256"] == hashlib.sha256(body).hexdigest()
    )
    assert body == taken(trained, FILE, "q=war") != taken(trained, FILE)
    html = client.get(reverse("run_take", args=[trained.pk])).content.decode()
    assert f'href="{row["url"]}"' in html and "js/part.js" not in html


def test_a_download_goes_on_where_it_was_cut_off(trained):
    export = made(trained)
    whole, body = got(export)
    tag = whole["ETag"]
    size = len(body)
    assert (
        whole.status_code == 200
        and tag == f'"{export.sha256}"'
        and whole["Accept-Ranges"] == "bytes"
    )
    assert (
        int(whole["Content-Length"]) == size == export.bytes
        and whole["Content-Encoding"] == "identity"
    )
    half = size // 2
    rest, piece = got(export, range=f"bytes={half}-", if_range=tag)
    assert rest.status_code == 206 and body[:half] + piece == body
    assert (
        rest["Content-Range"] == f"bytes {half}-{size - 1}/{size}"
        and int(rest["Content-Length"]) == size - half
    )
    for asked_for, expected in (
        ("bytes=0-0", body[:1]),
        ("bytes=-5", body[-5:]),
        (f"bytes=1-{size * 9}", body[1:]),
    ):
        response, piece = got(export, range=asked_for)
        assert response.status_code == 206 and piece == expected
    for asked_for in ("bytes=5-2", "bytes=0-1,4-5", "bytes=-", "words=0-1"):
        assert got(export, range=asked_for)[1] == body
    assert got(export, range="bytes=5-", if_range='"another"')[1] == body  # of another file
    over, sentence = got(export, range=f"bytes={size}-")
    assert (
        over.status_code == 416
        and over["Content-Range"] == f"bytes */{size}"
        and str(f"{size:,}") in sentence.decode()
    )
    assert got(export, if_none_match=tag)[0].status_code == 304


def test_only_who_asked_and_may_still_see_it_downloads_it(trained, client):
    export = made(trained, "mallet-state.gz")
    Corpus.objects.filter(pk=trained.corpus_id).update(embargo=True)
    response, body = got(export)
    assert response.status_code == 400 and b"embargo" in body
    Corpus.objects.filter(pk=trained.corpus_id).update(embargo=False)
    Export.objects.update(by=User.objects.create_user("eve@example.org", "Eve of exports"))
    assert got(export)[0].status_code == 404 and listed(client, trained)["made"] == []
    assert client.post(reverse("export_delete", args=[trained.pk, export.pk])).status_code == 404
    assert kept.path(export).exists()


def test_an_embargo_takes_away_what_was_made_before_it(
    trained, client, django_capture_on_commit_callbacks
):
    """Of a part of the corpus, too: a bundle has the bag of words, tables have whole fields."""
    bundle = made(trained, "bundle.zip")
    table = made(trained, "documents.csv")
    assert b"bag_of_words.npz" in got(bundle)[1]
    with django_capture_on_commit_callbacks(execute=True):
        set_embargo(trained.corpus, True)
    assert not any(files.export_folder(export.pk).exists() for export in (bundle, table))
    assert (
        got(bundle)[0].status_code == got(table)[0].status_code == 404
        and listed(client, trained)["made"] == []
    )
    shut = made(Run.objects.get(pk=trained.pk), "bundle.zip")
    assert b"bag_of_words.npz" not in got(shut)[1]
    with django_capture_on_commit_callbacks(execute=True):
        set_embargo(trained.corpus, False)
    assert Export.objects.filter(pk=shut.pk).exists()


def test_an_embargo_that_comes_while_a_file_is_made_holds_for_it(trained, monkeypatch):
    pieces = making.make_file
    meanwhile = [True]

    def slowly(*about):
        file = pieces(*about)

        def one_by_one():
            yield from file.pieces
            while meanwhile:
                set_embargo(trained.corpus, meanwhile.pop())

        return file._replace(pieces=one_by_one())

    monkeypatch.setattr(making, "make_file", slowly)
    assert b"bag_of_words.npz" not in got(made(trained, "bundle.zip"))[1]
    set_embargo(trained.corpus, False)
    meanwhile.append(True)
    texts = asked(Run.objects.get(pk=trained.pk), "mallet-state.gz")
    kept.make(texts.pk)
    texts.refresh_from_db()
    assert texts.status == "failed" and "under embargo" in texts.error
    assert not [
        path.name for path in files.export_folder(texts.pk).iterdir() if path.name != "lock"
    ]


def test_with_accounts_no_browser_keeps_a_download(trained, settings):
    export = made(trained)
    settings.ACCOUNTS = True
    trained.corpus.public = True
    trained.corpus.save()
    user = User.objects.local()
    user.set_password("correct horse")
    user.save()

    async def get():
        reader = AsyncClient()
        await reader.aforce_login(user)
        url = reverse("export_kept", args=[export.run_id, export.pk, export.name])
        return await reader.get(url), await reader.get(
            url, headers={"if-none-match": f'"{export.sha256}"'}
        )

    whole, unchanged = async_to_sync(get)()
    whole.close()
    assert (whole.status_code, unchanged.status_code) == (200, 304)
    assert "no-store" in whole["Cache-Control"] and "no-store" in unchanged["Cache-Control"]


def test_failures_are_bounded_too(trained, client, monkeypatch):
    """What is only in the address makes no other file; failures are kept as files are, and tried
    again in their turn."""
    assert (
        asked(trained, "words.csv", "x=1").pk
        == asked(trained, "words.csv", "x=2&word=war&by=year").pk
    )
    assert Export.objects.get().query == ""
    kept.delete(Export.objects.get())
    monkeypatch.setattr(kept, "MOST_KEPT_FILES", 3)
    failed = []
    for word in "abcde":
        failed.append(asked(trained, "lines.csv", f"word=no-such-word-{word}"))
        kept.make(failed[-1].pk)
    assert list(Export.objects.filter(status="failed").order_by("pk")) == failed[2:]
    monkeypatch.setattr(kept, "MAKING", 2)
    for one in failed[2:4]:
        assert kept.retry(one)
    answer = client.post(reverse("export_again", args=[trained.pk, failed[4].pk]), follow=True)
    assert "2 files are being made for you" in answer.content.decode()
    assert Export.objects.get(pk=failed[4].pk).status == "failed"
    with pytest.raises(Invalid, match="Use fewer conditions"):
        asked(trained, "lines.csv", "word=" + "x" * 9000)


def test_dense_files_beyond_a_size_say_what_to_take_instead(client, trained, monkeypatch):
    monkeypatch.setattr(sizes, "DENSE", 2000)
    html = client.get(reverse("run_take", args=[trained.pk])).content.decode()
    assert 'value="document-topics-wide.csv"' not in html and 'value="model-sparse.npz"' in html
    for file, instead in (
        ("document-topics-wide.csv", EXPORT_KINDS["document-topics"].title),
        ("model.npz", EXPORT_KINDS["model-sparse"].title),
    ):
        with pytest.raises(Invalid, match=instead):
            asked(trained, file)
        assert instead in client.get(reverse("export", args=[trained.pk, file])).content.decode()
    assert asked(trained, "model-sparse.npz")


def test_an_interrupted_file_is_made_again_and_leaves_nothing_behind(trained, sent, monkeypatch):
    export = asked(trained)
    assert claims.claim(kinds.EXPORT, export.pk) == 1
    folder = files.export_folder(export.pk)
    folder.mkdir(parents=True)
    (folder / "part").write_bytes(b"what a killed process had written")
    beat = Export.objects.values_list("attempt", "heartbeat_at", "tries").get(pk=export.pk)
    sweep.requeue(kinds.EXPORT, export.pk, *beat)
    assert sent[-1] == (kinds.EXPORT, export.pk)
    kept.make(export.pk)
    export.refresh_from_db()
    assert (export.status, export.attempt) == ("ready", 2) and kept.path(
        export
    ).read_bytes() == taken(trained, FILE)
    assert not (folder / "part").exists()

    def broken(*arguments):
        raise RuntimeError("what only the log says")

    failing = asked(trained, "documents.csv")
    monkeypatch.setattr(tables, "about", broken)
    kept.make(failing.pk)
    failing.refresh_from_db()
    assert failing.status == "failed" and "Something went wrong" in failing.error
    assert not (files.export_folder(failing.pk) / "part").exists()
    monkeypatch.undo()
    assert kept.retry(failing) and Export.objects.get(pk=failing.pk).status == "queued"


def test_files_are_kept_within_bounds(trained, settings, monkeypatch):
    one = made(trained)
    # It waits already
    assert asked(trained, "documents.csv").pk == asked(trained, "documents.csv").pk
    kept.delete(Export.objects.get(file="documents.csv"))
    again = made(trained)  # the same, newer, in its place
    assert not Export.objects.filter(pk=one.pk).exists()
    settings.EXPORTS = settings.EXPORTS | {"bytes": again.bytes + 10, "all_bytes": 10**9}
    monkeypatch.setattr(sizes, "expected_bytes", lambda *arguments: 1)
    other = made(trained, "topic-measures.csv")
    assert list(Export.objects.all()) == [other]
    large = asked(trained, "document-topics.json")
    kept.make(large.pk)
    large.refresh_from_db()
    assert large.status == "failed" and "which is the most one may have" in large.error
    monkeypatch.undo()
    with pytest.raises(Invalid, match="a file may have"):
        asked(trained, "document-topics.excel.csv")
    monkeypatch.setattr(dispatch, "send", lambda kind, pk: None)
    settings.EXPORTS = settings.EXPORTS | {"bytes": 10**9}
    for ending in ("csv", "excel.csv", "json", "parquet"):
        asked(trained, f"documents.{ending}")
    with pytest.raises(Invalid, match="4 files are being made"):
        asked(trained, FILE)


def test_files_expire(trained, django_capture_on_commit_callbacks):
    export = made(trained)
    kept.remove_expired()
    assert Export.objects.filter(pk=export.pk).exists()
    Export.objects.update(made_at=timezone.now() - timedelta(days=8))
    with django_capture_on_commit_callbacks(execute=True):
        kept.remove_expired()
    assert not Export.objects.exists() and not files.export_folder(export.pk).exists()
    assert got(export)[0].status_code == 404


def test_the_files_of_a_run_go_with_it(ready, trained):
    run = run_on(ready, topics=3, passes=1)
    export = made(run)
    waiting = asked(run, "documents.csv")
    deletion.delete_run(run)
    assert got(export)[0].status_code == 404
    kept.make(waiting.pk)
    waiting.refresh_from_db()
    assert waiting.status == "failed" and "was deleted while its file was made" in waiting.error
    deletion.expire_now(run)
    upkeep.tidy()
    assert not Run.everything.filter(pk=run.pk).exists() and not Export.objects.exists()
    assert not files.export_folder(export.pk).exists()


@pytest.mark.parametrize("file", ["nothing.csv", "documents.exe", "", "../../secret"])
def test_files_that_there_are_not(client, trained, file):
    response = client.post(reverse("export_make", args=[trained.pk]), {"file": file}, follow=True)
    assert response.status_code == 200 and "There is no file" in response.content.decode()
    assert not Export.objects.exists()


def test_how_far_a_file_is_can_be_read_from_its_bar(client, trained):
    """HTML knows no separators of thousands: "1,200" is 1."""
    export = asked(trained)
    Export.objects.filter(pk=export.pk).update(status="making", bytes=300_000, expected=1_200_000)
    html = client.get(reverse("run_take", args=[trained.pk])).content.decode()
    assert '<progress max="1200000" value="300000"' in html
