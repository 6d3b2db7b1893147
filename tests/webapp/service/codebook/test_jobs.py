"""What takes longer than a second is a worker's: comparing many codes, and taking in a large file;
the pages say how far it is, and what came of it is kept."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from inference.errors import Invalid
from tasks.codebook import agree, take_in
from tests.webapp.failing import fail_task
from tests.webapp.service.codebook.making import code_all, concept_of, drawn
from webapp.models import Agreement, CodeFile, Coding, Document, Draw, User
from webapp.platform.jobs import dispatch, kinds
from webapp.service.codebook import agreement, coding, concepts, imports, taking_in

pytestmark = pytest.mark.django_db
CODERS = ("Ann", "Ben")
MANY = 2_400  # codes: more than a request compares


@pytest.fixture
def asked(monkeypatch):
    """What workers are asked for, which none does by itself."""
    tasks: list[tuple] = []
    monkeypatch.setattr(dispatch.app, "send_task", lambda *given, **_: tasks.append(given))
    return tasks


@pytest.fixture
def many(trained, monkeypatch):
    """A concept with more codes than a request compares."""
    monkeypatch.setattr(agreement, "QUICK_CODES", 50)
    concept = drawn(trained, 60, overlap=100)
    ann, ben = (coding.join(concept, name) for name in CODERS)
    code_all(concept, [ann, ben], lambda coder, text: int(len(text) % 3 > (coder == ann)))
    return concept


def test_many_codes_are_compared_by_a_worker_and_that_is_kept(client, trained, many, asked):
    page = reverse("concept_agreement", args=[trained.pk, many.pk])
    json = reverse("concept_agreement_json", args=[trained.pk, many.pk])
    answer = client.get(json)
    assert answer.status_code == 202
    assert answer.json() == {"concept": "war", "done": 0.0, "has_failed": False}
    assert asked == [(agreement.TASK, [many.pk, User.objects.local().pk])]
    dispatch.advance(agreement.TASK, [many.pk], 0.25)
    text = client.get(page).content.decode()
    assert "A worker compares the coders" in text and "25%" in text
    assert len(asked) == 1  # once
    agree(many.pk, None)
    said = client.get(json)
    assert said.status_code == 200
    assert said.json()["texts"] == 60
    assert said.json()["counting"] is None
    assert len(asked) == 1


def test_a_worker_says_of_the_same_codes_what_a_request_says(client, trained, many, monkeypatch):
    agree(many.pk, None)
    by_worker = agreement.page(trained, many, None)
    Agreement.objects.all().delete()
    monkeypatch.setattr(agreement, "QUICK_CODES", 1_000)
    assert agreement.page(trained, many, None) == by_worker
    assert by_worker.alpha.low is not None and by_worker.disagreements


def test_codes_that_come_meanwhile_are_counted_while_the_page_shows_the_others(
    client, trained, many, asked
):
    agree(many.pk, None)
    json = reverse("concept_agreement_json", args=[trained.pk, many.pk])
    page = reverse("concept_agreement", args=[trained.pk, many.pk])
    before = client.get(json).json()
    reading = Coding.objects.filter(coder__concept=many).first()
    assert reading is not None
    coding.save(reading.coder, reading.item, reading.definition, 1 - reading.code, False, "")
    answer = client.get(json)
    assert answer.status_code == 202
    during = answer.json()
    assert during["alpha"] == before["alpha"] and during["counting"] == 0.0
    assert "Codes came since this was computed" in client.get(page).content.decode()
    fail_task(agreement.TASK, [many.pk])
    assert client.get(json).json()["has_failed"]
    assert "A worker tried this, and failed" in client.get(page).content.decode()
    agree(many.pk, None)
    after = client.get(json).json()
    assert after["counting"] is None and after["alpha"] != before["alpha"]


@pytest.mark.parametrize("change", ["withdrawn", "anew", "more drawn"])
def test_what_is_kept_is_of_the_codes_that_count(trained, many, change):
    agree(many.pk, None)
    if change == "withdrawn":
        concepts.withdraw(many, many.coders.get(name="Ben").pk, on=True)
    elif change == "anew":
        concepts.define(many, {"text": "Otherwise.", "codes": ""}, "owner", anew=True)
    else:
        concepts.draw(many, trained, {"size": "20"}, [], "owner")
    key = agreement.comparison_key(many)
    assert agreement.read_kept(many, key) is None
    assert (agreement.kept_before(many) is None) == (change == "anew")


def test_what_is_settled_is_said_at_once(trained, many, asked):
    agree(many.pk, None)
    page = agreement.page(trained, many, None)
    first = page.disagreements[0]
    coding.settle(many, first.item, 1, "owner")
    settled = agreement.page(trained, many, None)
    assert settled.counting is None and not asked
    assert settled.unsettled == page.unsettled - 1
    assert {one.item: one.settled for one in settled.disagreements}.get(first.item, 1) == 1


def test_no_request_compares_thousands_of_codes(client, trained, asked, monkeypatch):
    concept = concept_of(trained)
    readings = [
        imports.Given(document, coder, int(document % 3 > (coder == "Ann")), 0.5)
        for document in range(MANY // len(CODERS))
        for coder in CODERS
    ]
    imports.keep(concept, trained, imports.ReadFile(readings, ""), "owner")
    address = reverse("concept_agreement", args=[trained.pk, concept.pk])
    compare = agreement.compare_codings
    monkeypatch.setattr(
        agreement, "compare_codings", lambda *_: pytest.fail("compared in the request")
    )
    assert client.get(address).status_code == 202
    with monkeypatch.context() as in_the_worker:
        in_the_worker.setattr(agreement, "compare_codings", compare)
        agree(concept.pk, None)
    assert client.get(address).status_code == 200


# Files of codes


@pytest.fixture(params=[100, 1_000_000], ids=["large", "many"])
def file(request, trained, monkeypatch) -> bytes:
    """Larger than a request reads, or with more codes than it stores."""
    least = request.param
    monkeypatch.setattr(taking_in, "QUICK_AMOUNT", least)
    monkeypatch.setattr(taking_in, "QUICK_CODES", 100)
    ids = Document.objects.filter(corpus_id=trained.corpus_id).values_list("source_id", flat=True)
    rows = [f"{one},{coder},{len(one) % 2}" for one in ids.order_by("number") for coder in CODERS]
    return "\n".join(["id,coder,code", *rows]).encode()


def _send(client, trained, concept, content: bytes) -> str:
    address = reverse("concept_change", args=[trained.pk, concept.pk])
    sent = {"act": "take", "codes": SimpleUploadedFile("codes.csv", content)}
    return client.post(address, sent, follow=True).content.decode()


def test_a_large_file_is_taken_in_by_a_worker(client, trained, file, monkeypatch):
    sent = []
    monkeypatch.setattr(dispatch, "send", lambda kind, pk: sent.append((kind, pk)))
    concept = concept_of(trained)
    page = _send(client, trained, concept, file)
    row = CodeFile.objects.get(concept=concept)
    assert sent == [(kinds.TAKE_IN, row.pk)]
    assert "A worker takes in the codes" in page and "0%" in page
    assert 'value="draw"' not in page  # nothing may be drawn meanwhile
    with pytest.raises(Invalid, match="being taken in"):
        concepts.draw(concept, trained, {"size": "30", "overlap": "0"}, [], "owner")
    steps: list[float] = []
    monkeypatch.setattr(dispatch, "advance", lambda task, keys, done: steps.append(done))
    take_in(row.pk)
    assert steps == sorted(steps) and steps[0] > taking_in.READING_SHARE and steps[-1] == 1
    row.refresh_from_db()
    assert (row.status, bytes(row.content)) == ("ready", b"")
    page = client.get(reverse("concept", args=[trained.pk, concept.pk])).content.decode()
    readings = 2 * trained.version.documents
    assert f"{readings:,} codes were taken in." in page
    assert Coding.objects.filter(coder__concept=concept).count() == readings


def test_a_large_file_with_an_error_keeps_nothing_and_says_the_line(
    client, trained, file, monkeypatch
):
    monkeypatch.setattr(dispatch, "send", lambda *_: None)
    concept = concept_of(trained)
    page = _send(client, trained, concept, file + b"\nnothing,Ann,1")
    if len(file) < taking_in.QUICK_AMOUNT:
        assert "no document here has the id" in page  # at once
        assert not CodeFile.objects.filter(concept=concept).exists()
        return
    take_in(CodeFile.objects.get(concept=concept).pk)
    page = client.get(reverse("concept", args=[trained.pk, concept.pk])).content.decode()
    assert "nothing of it was kept" in page and "no document here has the id" in page
    assert not Draw.objects.filter(concept=concept).exists()
    assert bytes(CodeFile.objects.get(concept=concept).content) == b""
    # Another file may come, and takes the place of the one that failed
    _send(client, trained, concept, file)
    take_in(CodeFile.objects.get(concept=concept).pk)
    assert Draw.objects.filter(concept=concept).exists()


def test_a_worker_that_is_killed_leaves_nothing_half_taken_in(trained, file, monkeypatch):
    monkeypatch.setattr(dispatch, "send", lambda *_: None)
    concept = concept_of(trained)
    taking_in.receive(concept, trained, file, "owner")
    row = CodeFile.objects.get(concept=concept)

    class Killed(BaseException):
        pass

    def advance(task, keys, done):
        if done > taking_in.READING_SHARE:
            raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(dispatch, "advance", advance)
        take_in(row.pk)
    row.refresh_from_db()
    assert row.status == "reading" and bytes(row.content) == file
    assert not Coding.objects.filter(coder__concept=concept).exists()
    CodeFile.objects.filter(pk=row.pk).update(status="queued")  # as the sweep does
    take_in(row.pk)
    row.refresh_from_db()
    assert row.status == "ready"
