"""Persons get pseudonyms before anything is read: no page, file, export, cache or log of the corpus
has the originals."""

import json
import logging

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from inference.errors import Invalid
from tasks.corpora import read_corpus, store_upload
from tests.corpora import as_csv
from tests.webapp.intake.ingest.test_upload import fields
from tests.webapp.making import run_on
from tests.webapp.service.privacy.places import addresses_of, exported, pages, searched
from webapp.intake.ingest import corpora, previews, pseudonyms
from webapp.intake.ingest.asked_reading import AskedPseudonyms
from webapp.models import Corpus, Document, Membership, Run, Upload, User
from webapp.platform.accounts import tokens
from webapp.service.corpora import deletion

pytestmark = pytest.mark.django_db(transaction=True)
# Words that no other test has
ADA = ["Lovelumpkin, Ada", "ada lovelumpkin", "Lovelumpkin", "lovelumpkin"]
ORIGINALS = [
    *ADA,
    "Quentzill",
    "quentzill",
    "adal@quibble.example",
    "quibble.example",
    "@zzquip_9",
    "zzquip_9",
    "555 010 7733",
    "555-010-7733",
]
SAID = [
    "Ada Lovelumpkin wrote to Quentzill (adal@quibble.example) of the harvest and the wheat",
    "call 555-010-7733, said @zzquip_9, the ship is in the harbour of the town",
    "see https://quibble.example/ada of the law, LOVELUMPKIN, and the judge in the court",
]


def rows() -> list[list[str]]:
    made = [["title", "speaker", "handle", "date", "text"]]
    for i in range(40):
        speaker = ["Lovelumpkin, Ada", "Ben Quentzill", "ada lovelumpkin"][i % 3]
        made.append(
            [
                f"Letter {i} of {speaker}",
                speaker,
                "zzquip_9" if i % 2 else "@zzquip_9",
                f"{1900 + i}",
                f"{SAID[i % 3]} " * 5 + f"and number {i} of the field and the farmer",
            ]
        )
    return made


@pytest.fixture
def first(draft) -> Corpus:
    return draft(as_csv(rows()), "letters of Ada Lovelumpkin.csv")


def replaced(client: Client, first: Corpus, **form) -> Corpus:
    """The new draft."""
    address = reverse("corpus_pseudonyms", args=[first.pk])
    chosen = {"column": ["speaker", "handle"], "act": "replace"} | form
    answer = client.post(address, chosen)
    assert answer.status_code == 302, answer.content.decode()
    new = Corpus.objects.exclude(upload__pseudonyms=None).get()
    store_upload(new.pk)
    new.refresh_from_db()
    assert new.upload.status == "stored", new.upload.error
    return new


def places_beyond(older: dict[str, set[str]]) -> dict[str, set[str]]:
    """Of the originals that stand where they did not before: where."""
    beyond = {text: places - older[text] for text, places in searched(*ORIGINALS).items()}
    return {text: places for text, places in beyond.items() if places}


def test_the_page_proposes_columns_and_counts_what_would_be_replaced(client, first):
    answer = client.get(reverse("corpus_pseudonyms", args=[first.pk]))
    look = answer.context["page"].look
    assert [column.name for column in look.columns if column.chosen] == ["speaker", "handle"]
    counts = dict(look.kinds)
    assert counts["e-mail addresses"] == 70 and counts["phone numbers"] == 65
    assert counts["handles"] == 65
    assert "lovelumpkin" in dict(look.words)
    shown = answer.content.decode().partition("The first documents, as they will be")[2]
    assert shown and not [text for text in ORIGINALS if text in shown]
    page = client.get(reverse("corpus_prepare", args=[first.pk])).content.decode()
    assert reverse("corpus_pseudonyms", args=[first.pk]) in page  # beside the tick


@pytest.mark.parametrize("column", ["author", "maintainer", "created_by_user"])
def test_a_column_is_proposed_by_its_name(draft, column):
    rows = [["title", column, "text"], *([f"No. {i}", "Ada", SAID[0]] for i in range(5))]
    corpus = draft(as_csv(rows), "texts.csv")
    assert pseudonyms.proposed_columns(previews.propose(corpus).sniff) == [column]


def test_the_tick_of_the_preview_counts_before_and_reads_by_itself(client, first):
    older = searched(*ORIGINALS)
    address = reverse("corpus_prepare", args=[first.pk])
    offer = client.get(address).context["page"].offer
    assert offer.proposed == ["speaker", "handle"] and not offer.ticked and offer.look is None
    form = fields(client, address) | {"name": "Letters of Ada Lovelumpkin", "min_documents": "3"}
    # Pressed at once: what is replaced was not counted yet, so it is shown, and nothing is read
    page = client.post(address, form | {"pseudonyms": "1"})
    counted = page.context["page"].offer
    assert page.status_code == 200 and dict(counted.look.kinds)["e-mail addresses"] == 70
    shown = page.content.decode()
    assert "40 documents we would replace" in " ".join(shown.split())
    assert not Upload.objects.exclude(pseudonyms=None).exists()
    # Other columns than those that were counted: they are counted first
    form |= {"pseudonyms": "1", "pseudonyms_counted": counted.fingerprint}
    other = client.post(address, form | {"pseudonym_column": ["speaker"]}).context["page"].offer
    assert [column.name for column in other.look.columns if column.chosen] == ["speaker"]
    assert not Upload.objects.exclude(pseudonyms=None).exists()
    answer = client.post(address, form | {"pseudonym_column": ["speaker", "handle"]})
    new = Corpus.objects.exclude(upload__pseudonyms=None).get()
    assert answer.status_code == 302 and answer["Location"] == reverse("corpus", args=[new.pk])
    store_upload(new.pk)
    new.refresh_from_db()
    assert new.status == "queued" and new.train_settings == {} and "Lovelumpkin" not in new.name
    assert new.settings["min_documents"] == 3
    read_corpus(new.pk)
    new.refresh_from_db()
    assert new.status == "ready" and new.documents == 40, new.error
    days = {str(document.date)[:4] for document in Document.objects.filter(corpus=new.pk)}
    assert days == {str(1900 + i) for i in range(40)}
    from webapp.service.privacy import pseudonym_drafts

    pseudonym_drafts.remove_originals()
    deletion.remove_due()
    assert not places_beyond(older)


def ask(corpus: Corpus, by: User | None = None, **asked):
    """A program of somebody, by default of the owner, asks to have it read."""
    return Client().post(
        f"/api/v1/corpora/{corpus.pk}/read",
        json.dumps(asked),
        content_type="application/json",
        headers={"Authorization": f"Bearer {tokens.create('tests', by)[1]}"},
    )


@pytest.mark.parametrize("roles", [{}, {"id": "handle", "title": "speaker"}])
def test_a_program_has_persons_replaced(first, roles):
    """Also those of columns that are read as ids and titles."""
    older = searched(*ORIGINALS)
    asked = {"pseudonyms": True, "pseudonym_column": ["speaker", "handle"], "min_documents": 3}
    answer = ask(first, **asked, **roles)
    assert answer.status_code == 200, answer.content
    new = Corpus.objects.exclude(upload__pseudonyms=None).get()
    assert answer.json()["id"] == new.pk != first.pk
    store_upload(new.pk)
    read_corpus(new.pk)
    new.refresh_from_db()
    assert (new.status, new.documents, new.settings["min_documents"]) == ("ready", 40, 3)
    from webapp.service.privacy import pseudonym_drafts

    pseudonym_drafts.remove_originals()
    deletion.remove_due()
    assert not places_beyond(older)


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"pseudonym_column": ["nobody"]}, "pseudonym_column"),
        ({"pseudonym_column": "speaker"}, "pseudonym_column"),
        ({"keep_uploaded": "perhaps"}, "keep_uploaded"),
    ],
)
def test_a_program_that_asks_for_nonsense_has_nothing_replaced(first, asked, field):
    answer = ask(first, pseudonyms=True, **asked)
    assert (answer.status_code, answer.json()["field"]) == (400, field)
    assert not Upload.objects.exclude(pseudonyms=None).exists()


def test_a_program_that_asks_twice_has_them_replaced_once(first):
    asked = {"pseudonyms": True, "pseudonym_column": ["speaker", "handle"]}
    begun, again = (ask(first, **asked).json()["id"] for _ in range(2))
    assert begun == again
    store_upload(begun)
    proposal = previews.propose(first)
    with pytest.raises(Invalid, match="have pseudonyms already"):
        pseudonyms.begin_as_asked(Corpus.objects.get(pk=begun), AskedPseudonyms(), proposal)


def test_an_addition_has_nobody_replaced_once_its_corpus_is_under_embargo(first, draft):
    corpus = draft(as_csv([["text"], ["the harvest and the wheat"]]))
    Corpus.objects.filter(pk=first.pk).update(added_to=corpus)
    addition = Corpus.objects.get(pk=first.pk)
    Corpus.objects.filter(pk=corpus.pk).update(embargo=True)  # a moment later
    with pytest.raises(Invalid, match="under embargo"):
        pseudonyms.begin(addition, ["speaker"], [], keep=False)
    assert not Upload.objects.exclude(pseudonyms=None).exists()


def test_a_column_that_is_empty_at_first_is_proposed_by_its_name(draft):
    table = [["speaker", "text"], *([["", "the harvest and the wheat"]] * 400)]
    late = draft(as_csv([*table, ["Ada Lovelumpkin", "the ship in the harbour"]]), "late.csv")
    assert ask(late, pseudonyms=True).status_code == 200
    upload = Upload.objects.exclude(pseudonyms=None).get()
    assert upload.pseudonyms["columns"] == ["speaker"]


def test_how_without_whether_is_refused(first):
    answer = ask(first, pseudonym_column=["speaker"])
    assert (answer.status_code, answer.json()["field"]) == (400, "pseudonym_column")
    first.refresh_from_db()
    assert first.status == "draft"


def test_an_editor_s_program_can_t_have_persons_replaced(first, settings):
    """The pseudonyms are the owner's, and the originals would be deleted."""
    settings.ACCOUNTS = True
    eve = User.objects.create_user("eve@example.org", "Eve")
    Membership.objects.create(corpus=first, user=eve, role="editor")
    answer = ask(first, by=eve, pseudonyms=True)
    assert (answer.status_code, answer.json()["field"]) == (400, "pseudonyms")
    assert not Upload.objects.exclude(pseudonyms=None).exists()


def test_a_program_can_t_have_texts_under_embargo_replaced(first):
    Corpus.objects.filter(pk=first.pk).update(embargo=True)
    assert ask(first, pseudonyms=True).status_code == 400
    assert not Upload.objects.exclude(pseudonyms=None).exists()


def test_the_command_has_persons_replaced(tmp_path, capsys):
    path = tmp_path / "letters.csv"
    path.write_bytes(as_csv(rows()))
    call_command("import_corpus", str(path), "--pseudonyms", "--keep-uploaded", "--no-wait")
    new = Corpus.objects.get(pk=int(capsys.readouterr().out.split()[-1]))
    upload = Upload.objects.get(pk=new.pk)
    assert upload.pseudonyms and upload.pseudonyms["columns"] == ["speaker", "handle"]
    assert upload.pseudonyms["keep"] is True
    store_upload(new.pk)
    assert "40 values of “speaker”" in pseudonyms.sentence(new)
    with pytest.raises(CommandError, match="--pseudonym-column: .* got “nobody”"):
        call_command("import_corpus", str(path), "--pseudonyms", "--pseudonym-column", "nobody")


def test_a_tick_where_persons_can_t_be_replaced_reads_nothing(client, first):
    address = reverse("corpus_prepare", args=[first.pk])
    form = fields(client, address) | {"pseudonyms": "1", "pseudonyms_counted": "x"}
    Corpus.objects.filter(pk=first.pk).update(embargo=True)
    answer = client.post(address, form)
    assert answer.status_code == 400 and "can’t be replaced" in answer.content.decode()
    first.refresh_from_db()
    assert first.status == "draft"


def test_words_can_be_spared_and_columns_left(client, first):
    address = reverse("corpus_pseudonyms", args=[first.pk])
    sent = {"column": ["speaker"], "spared": "Quentzill", "act": "look"}
    look = client.post(address, sent).context["page"].look
    assert [column.name for column in look.columns if column.chosen] == ["speaker"]
    assert "quentzill" not in dict(look.words)
    assert client.post(address, {"spared": "x" * 3000}).status_code == 400


def test_nothing_of_the_originals_is_anywhere(client, draft, caplog):
    """Of other tests there are files yet."""
    older = searched(*ORIGINALS)
    first = draft(as_csv(rows()), "letters of Ada Lovelumpkin.csv")
    caplog.set_level(logging.DEBUG)
    client.get(reverse("corpus_prepare", args=[first.pk]))  # what was seen of the files is kept
    client.get(reverse("corpus_pseudonyms", args=[first.pk]))
    assert "Lovelumpkin" in places_beyond(older), "so the search would find it"
    new = replaced(client, first)
    deletion.remove_due()
    from webapp.service.privacy import pseudonym_drafts

    pseudonym_drafts.remove_originals()
    deletion.remove_due()
    assert not Corpus.everything.filter(pk=first.pk).exists()
    page = client.get(reverse("corpus_prepare", args=[new.pk])).content.decode()
    assert "Persons have pseudonyms" in page and "40 values of “speaker”" in page
    proposal = previews.propose(new)
    corpora.read(new, proposal.reading)
    read_corpus(new.pk)
    new.refresh_from_db()
    assert new.status == "ready", new.error
    assert new.documents == 40
    run = run_on(new, seed=1, topics=3, passes=2)
    shown = pages(client, addresses(new, run)) | exported(run)
    assert "personzz" not in shown["document"] and "person" in shown["document"]
    assert "1900" in shown["documents.csv"], "dates are read as before"
    found = [(name, text) for name, page in shown.items() for text in ORIGINALS if text in page]
    assert not found
    assert not places_beyond(older)
    assert not [text for text in ORIGINALS if text in caplog.text]
    assert "Persons have pseudonyms" in shown["corpus"]


def addresses(corpus: Corpus, run: Run) -> dict[str, str]:
    return addresses_of(corpus, run) | {
        "search": reverse("corpus_documents", args=[corpus.pk]) + "?q=harvest",
        "another": reverse("corpus_document", args=[corpus.pk, 1]),
        "files": reverse("corpus_files", args=[corpus.pk]),
        "problems": reverse("corpus_problems", args=[corpus.pk]),
        "report": reverse("corpus_report", args=[corpus.pk]),
        "vocabulary": reverse("corpus_vocabulary_json", args=[corpus.pk]),
        "erase": reverse("corpus_erase", args=[corpus.pk]),
        "run": reverse("run", args=[run.pk]),
        "home": "/",
    }


def test_what_was_uploaded_stays_where_the_owner_wishes_it(client, first):
    new = replaced(client, first, keep="1")
    from webapp.service.privacy import pseudonym_drafts

    pseudonym_drafts.remove_originals()
    assert Corpus.objects.filter(pk=first.pk, status="draft").exists()
    assert "was kept as a draft" in pseudonyms.sentence(new)


def test_what_can_t_be_read_is_counted(client, draft):
    empty = ["An empty one", "Ben Quentzill", "x", "1950", ""]
    new = replaced(client, draft(as_csv([*rows(), empty])))
    assert "left out: 1 of the files and rows" in pseudonyms.sentence(new)


def test_the_originals_stay_until_the_new_draft_is_there(client, first):
    answer = client.post(
        reverse("corpus_pseudonyms", args=[first.pk]), {"column": "speaker", "act": "replace"}
    )
    assert answer.status_code == 302
    assert pseudonyms.finished() == []
    upload = Upload.objects.exclude(pseudonyms=None).get()
    pseudonyms.write(upload, lambda: None)
    assert pseudonyms.is_written(Upload.objects.get(pk=upload.pk)) and pseudonyms.finished() == []
    store_upload(upload.pk)
    assert pseudonyms.finished() == [first]


def test_a_corpus_that_was_read_meanwhile_is_not_deleted(client, first):
    replaced(client, first)
    Corpus.objects.filter(pk=first.pk).update(status="ready")
    assert pseudonyms.finished() == []


def test_a_draft_whose_files_are_gone_says_so(client, first):
    client.post(reverse("corpus_pseudonyms", args=[first.pk]), {"act": "replace"})
    new = Corpus.objects.exclude(upload__pseudonyms=None).get()
    Corpus.objects.filter(pk=first.pk).update(deleted_at="2020-01-01T00:00Z")
    store_upload(new.pk)
    assert "are gone" in Upload.objects.get(pk=new.pk).error


@pytest.mark.parametrize("way", ["embargo", "parent"])
def test_texts_under_embargo_and_files_of_another_corpus_are_refused(client, first, draft, way):
    """The new draft would be no part of anything: an embargo would not reach it."""
    other = {"embargo": True} if way == "embargo" else {"parent": draft(as_csv(rows()))}
    Corpus.objects.filter(pk=first.pk).update(**other)
    address = reverse("corpus_pseudonyms", args=[first.pk])
    assert client.get(address).status_code == 400
    assert client.post(address, {"act": "replace"}).status_code == 400
    assert not Upload.objects.exclude(pseudonyms=None).exists()
    assert address not in client.get(reverse("corpus_prepare", args=[first.pk])).content.decode()
