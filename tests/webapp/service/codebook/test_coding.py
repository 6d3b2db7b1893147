"""Concepts, draws and coders: what is drawn has the probability that is kept, no reading is lost or
done twice, and nobody codes at an address that holds no more."""

import io
import json
import re
import time
from collections import Counter
from datetime import timedelta
from functools import partial
from xml.etree import ElementTree
from zipfile import ZipFile

import numpy as np
import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from inference.errors import Invalid
from tests.webapp.service.codebook.making import code_all, concept_of, drawn
from webapp.models import (
    Coding,
    Concept,
    Definition,
    Document,
    Draw,
    Item,
    Membership,
    Run,
    Settlement,
)
from webapp.service.codebook import coding, concepts, exports, imports, taking_in

pytestmark = pytest.mark.django_db


def about_war(coder, text: str) -> int:
    return int("war" in text.lower().split())


def test_each_document_is_drawn_with_the_probability_that_is_kept(trained):
    concept = drawn(trained, 60, columns=["decade"])
    items = list(concept.draw.items.all())
    strata = np.bincount(concepts.strata_of(concept.draw))
    for stratum, n in Counter(item.stratum for item in items).items():
        of_it = [item for item in items if item.stratum == stratum]
        assert {item.pi for item in of_it} == {n / strata[stratum]} and of_it[
            0
        ].stratum_size == strata[stratum]
    assert len({item.document for item in items}) == len(items) >= 60


def test_more_can_be_drawn_by_the_same_design_and_what_was_drawn_stays(trained):
    concept = drawn(trained, 30, overlap=0)
    before = set(concept.draw.items.values_list("document", "place"))
    concepts.draw(concept, trained, {"size": "20"}, [], "owner")
    items = list(concept.draw.items.all())
    assert before <= {(item.document, item.place) for item in items} and len(items) == 50
    strata = np.bincount(concepts.strata_of(concept.draw))
    counted = Counter(item.stratum for item in items)
    assert all(
        item.pi == pytest.approx(counted[item.stratum] / strata[item.stratum]) for item in items
    )


@pytest.mark.parametrize(
    ("sent", "word"),
    [
        ({"size": "5"}, "size"),
        ({"size": "x"}, "size"),
        ({"size": "30", "topic": "99"}, "topic"),
        ({"size": "30", "overlap": "300"}, "overlap"),
        ({"size": "10"}, "draw"),
    ],
)
def test_a_draw_that_makes_no_sense_is_refused_and_nothing_is_kept(trained, sent, word):
    concept = concept_of(trained)
    columns = ["year"] if sent == {"size": "10"} else []
    with pytest.raises(Invalid, match=word):
        concepts.draw(concept, trained, {"topic": "", "overlap": "20"} | sent, columns, "owner")
    assert not Item.objects.filter(draw__concept=concept).exists()


def test_no_reading_is_lost_and_none_is_done_twice(trained):
    concept = drawn(trained, 70)
    coders = [coding.join(concept, name) for name in ("Ann", "Bea", "Cy")]
    n = code_all(concept, coders, about_war)
    by_text = Counter(
        Coding.objects.filter(item__draw__concept=concept).values_list("item", flat=True)
    )
    for item in concept.draw.items.all():
        assert by_text[item.pk] == 1 + item.twice
    assert n == sum(by_text.values()) and sum(item.twice for item in concept.draw.items.all()) == 60
    pairs = Counter(Coding.objects.filter(item__draw__concept=concept).values_list("item", "coder"))
    assert set(pairs.values()) == {1}


def test_who_is_given_a_text_keeps_it_and_who_withdraws_gives_it_to_others(trained):
    concept = drawn(trained, 30, overlap=0)
    ann, bea = (coding.join(concept, name) for name in ("Ann", "Bea"))
    first = coding.following(ann).item
    assert coding.following(ann).item == first != coding.following(bea).item
    concepts.withdraw(concept, ann.pk, on=True)
    seen = set()
    while (item := coding.following(bea).item) is not None:
        seen.add(item.pk)
        coding.save(bea, item, concepts.defined(concept).holds, 0, False, "")
    assert first.pk in seen and len(seen) == 30
    assert coding.coder_of(ann.token) is None


def test_a_definition_that_means_something_else_is_coded_anew_and_the_old_codings_are_kept(trained):
    concept = drawn(trained, 30, overlap=0)
    ann = coding.join(concept, "Ann")
    code_all(concept, [ann], about_war)
    old = concepts.defined(concept).holds
    concepts.define(concept, {"text": "The same, said better."}, "owner", anew=False)
    assert coding.following(ann).item is None and coding.counting_codings(concept, 1).count() == 30
    concepts.define(concept, {"text": "War or peace."}, "owner", anew=True)
    holds, base = concepts.defined(concept)
    assert (holds.number, base) == (3, 3) and not coding.counting_codings(concept, base)
    item = coding.following(ann).item
    with pytest.raises(Invalid, match="changed meanwhile"):
        coding.save(ann, item, old, 1, False, "")
    coding.save(ann, item, holds, 1, True, "peace, too")
    assert (
        coding.counting_codings(concept, base).get().unsure
        and Coding.objects.filter(coder=ann).count() == 31
    )


def test_earlier_versions_keep_their_numbers_also_from_1000_on(client, trained):
    """A browser reads no number with a separator of thousands, and counts from 1."""
    concept = concept_of(trained)
    concepts.define(concept, {"text": "War or peace."}, "owner", anew=True)
    for definition in concept.definitions.order_by("-number"):
        Definition.objects.filter(pk=definition.pk).update(number=definition.number + 1000)
    html = client.get(reverse("concept", args=[trained.pk, concept.pk])).content.decode()
    assert '<li value="1001">' in html


def test_codes_change_only_where_documents_are_coded_anew(trained):
    concept = concept_of(trained, kind="one_of", codes="war\npeace")
    with pytest.raises(Invalid, match="coded anew"):
        concepts.define(concept, {"text": "x", "codes": "war\npeace\nneither"}, "owner", anew=False)
    concepts.define(concept, {"text": "x", "codes": "war\npeace\nneither"}, "owner", anew=True)
    for codes in ("one", "a\na", "\n".join(map(str, range(10)))):
        with pytest.raises(Invalid, match="2 to 9 codes"):
            concepts.define(concept, {"text": "x", "codes": codes}, "owner", anew=True)
    assert Definition.objects.filter(concept=concept).count() == 2


def test_a_coder_joins_by_a_link_codes_looks_back_and_changes_a_code(trained):
    concept = drawn(trained, 30, overlap=0)
    concepts.invite(concept, on=True)
    concept.refresh_from_db()
    client = Client()
    invitation = reverse("code", args=[concept.token])
    assert "The speech is about war." in client.get(invitation).content.decode()
    own = client.post(invitation, {"name": "  Ann "})["Location"]
    assert (
        "codes here already"
        in client.post(invitation, {"name": "Ann"}, follow=True).content.decode()
    )
    ann = concept.coders.get()
    assert own == reverse("code", args=[ann.token]) and ann.name == "Ann"
    item = coding.following(ann).item
    text = Document.objects.get(corpus_id=trained.corpus_id, number=item.document).text
    page = client.get(own).content.decode()
    assert text[:40].split("\n")[0][:30] in page.replace("&#x27;", "'") and not re.search(
        r"\btopics?\b", page.lower().split("<main")[1].split("</main")[0]
    )
    sent = {"item": item.pk, "definition": 1, "code": 1, "remark": "x" * 10}
    assert client.post(own, sent)["Location"] == own
    back = coding.before(ann, coding.following(ann).item)
    assert (
        back == item.pk
        and 'aria-pressed="true"' in client.get(f"{own}?item={back}").content.decode()
    )
    client.post(own, sent | {"code": 0})
    assert [one.code for one in Coding.objects.filter(item=item).order_by("pk")] == [1, 0]
    assert coding.counting_codings(concept, 1).get().code == 0
    concepts.invite(concept, on=False)
    assert client.get(invitation).status_code == 404 and client.get(own).status_code == 200


@pytest.mark.parametrize(
    "sent",
    [
        {"code": "7"},
        {"code": "x"},
        {"code": "1", "item": "999999999"},
        {"code": "1", "definition": "9"},
        {"code": ""},
    ],
)
def test_what_nobody_offered_is_not_kept(trained, sent):
    concept = drawn(trained, 30, overlap=0)
    ann, bea = (coding.join(concept, name) for name in ("Ann", "Bea"))
    item = coding.following(ann).item
    own = {"item": str(item.pk), "definition": "1"}
    page = Client().post(reverse("code", args=[ann.token]), own | sent, follow=True)
    assert page.status_code == 200 and 'class="error' in page.content.decode()
    Client().post(reverse("code", args=[bea.token]), own | {"code": "1"})  # it was not given to her
    assert not Coding.objects.filter(item__draw__concept=concept).exists()


def test_nothing_is_found_of_a_concept_that_was_removed_or_whose_corpus_is_another(client, trained):
    concept = drawn(trained, 30, overlap=0)
    ann = coding.join(concept, "Ann")
    page = reverse("concept", args=[trained.pk, concept.pk])
    assert client.get(page).status_code == 200
    assert client.get(reverse("concept", args=[trained.pk, concept.pk + 1])).status_code == 404
    client.post(reverse("concept_change", args=[trained.pk, concept.pk]), {"act": "remove"})
    assert client.get(reverse("code", args=[ann.token])).status_code == 404
    assert client.get(reverse("run_codebook_json", args=[trained.pk])).json()["concepts"] == []
    client.post(reverse("concept_change", args=[trained.pk, concept.pk]), {"act": "restore"})
    assert client.get(reverse("code", args=[ann.token])).status_code == 200


def test_no_agreement_is_told_of_fewer_than_60_texts(client, trained):
    """All eight alike: AC1 would be 1.00, with an interval of no length."""
    concept = drawn(trained, 30)
    coders = [coding.join(concept, name) for name in ("Ann", "Bea")]
    code_all(concept, coders, lambda coder, text: int(len(text) % 2))
    data = client.get(reverse("concept_agreement_json", args=[trained.pk, concept.pk])).json()
    assert 0 < data["texts"] < 60
    assert data["ac1"] == data["alpha"] == {"value": None, "low": None, "high": None}
    page = client.get(reverse("concept_agreement", args=[trained.pk, concept.pk]))
    text = " ".join(page.content.decode().split())
    assert f"two coders or more read only {data['texts']} texts, and it takes 60" in text
    assert "AC1" not in text


def test_readers_who_differ_settle_it_and_both_codings_are_kept(client, trained):
    concept = drawn(trained, 60)
    coders = [coding.join(concept, name) for name in ("Ann", "Bea")]
    code_all(
        concept, coders, lambda coder, text: int(coder.name == "Ann") if len(text) % 5 == 0 else 0
    )
    address = reverse("concept_agreement_json", args=[trained.pk, concept.pk])
    data = client.get(address).json()
    assert data["texts"] == 60 and data["unsettled"] == len(data["disagreements"]) > 0
    assert data["pairs"][0]["texts"] == 60 and data["alpha"]["value"] < 0.2 < data["ac1"]["value"]
    one = data["disagreements"][0]
    assert sorted(said["label"] for said in one["readings"]) == ["no", "yes"]
    client.post(
        reverse("concept_change", args=[trained.pk, concept.pk]),
        {"act": "settle:1", "item": one["item"]},
    )
    after = client.get(address).json()
    assert (
        after["unsettled"] == data["unsettled"] - 1 and after["disagreements"][-1]["settled"] == 1
    )
    assert Settlement.objects.filter(item=one["item"]).count() == 1
    assert Coding.objects.filter(item=one["item"]).count() == 2
    client.post(
        reverse("concept_change", args=[trained.pk, concept.pk]),
        {"act": "reopen", "item": one["item"]},
    )
    assert client.get(address).json()["unsettled"] == data["unsettled"]


def test_codes_are_taken_away_as_a_table_and_as_a_project(client, trained):
    concept = drawn(trained, 30, overlap=0, kind="one_of", codes="Krieg & Frieden\nweder – noch")
    code_all(concept, [coding.join(concept, "Zoë")], about_war)

    address = partial(reverse, "concept_codes")
    rows = client.get(address(args=[trained.pk, concept.pk, "csv"])).content.decode().splitlines()
    assert (
        len(rows) == 31
        and rows[0].startswith("corpus,concept,definition,document")
        and "Zoë" in rows[1]
    )
    with ZipFile(io.BytesIO(b"".join(exports.project(concept)))) as archive:
        root = ElementTree.fromstring(archive.read("project.qde"))
        q = "{urn:QDA-XML:project:1.0}"
        codes = {c.get("guid"): c.get("name") for c in root.iter(f"{q}Code")}
        assert set(codes.values()) == {"war", "Krieg & Frieden", "weder – noch"}
        assert [user.get("name") for user in root.iter(f"{q}User")] == ["Zoë"]
        sources = list(root.iter(f"{q}TextSource"))
        assert len(sources) == 30
        for source in sources:
            text = archive.read(
                source.get("plainTextPath").replace("internal://", "sources/")
            ).decode()
            mark = source.find(f"{q}PlainTextSelection")
            assert (int(mark.get("startPosition")), int(mark.get("endPosition"))) == (
                0,
                len(text),
            ) and text
            code = codes[mark.find(f"{q}Coding/{q}CodeRef").get("targetGUID")]
            assert code == ("weder – noch" if about_war(None, text) else "Krieg & Frieden")
    assert client.get(address(args=[trained.pk, concept.pk, "exe"])).status_code == 404


def test_codes_are_annotations_of_documents_by_their_addresses(client, trained):
    concept = drawn(trained, 30, overlap=0)
    ann = coding.join(concept, "Zoë")
    gone = coding.join(concept, "Gone")
    holds = concepts.defined(concept).holds
    coding.save(gone, coding.following(gone).item, holds, 0, False, "")
    coding.save(ann, coding.following(ann).item, holds, 0, True, "hardly")
    code_all(concept, [ann], about_war)
    concepts.withdraw(concept, gone.pk, on=True)
    answer = client.get(reverse("concept_codes", args=[trained.pk, concept.pk, "jsonld"]))
    assert answer.status_code == 200 and answer["Content-Type"] == "application/ld+json"

    def url(number: int) -> str:
        return reverse("corpus_document", args=[trained.corpus_id, number])

    found = json.loads(b"".join(exports.annotations(concept, url)))
    items = found["first"]["items"]
    assert found["total"] == len(items) == concept.coders.get(name="Zoë").codings.count()
    assert {one["creator"]["name"] for one in items} == {"Zoë"} and len(
        {one["id"] for one in items}
    ) == len(items)
    first = next(one for one in items if len(one["body"]) == 2)
    assert [(b["purpose"], b["value"]) for b in first["body"]] == [
        ("tagging", "no"),
        ("commenting", "(unsure) hardly"),
    ]
    assert client.get(first["target"]).status_code == 200
    coded = set(ann.codings.values_list("item__document", flat=True))
    assert {int(one["target"].rstrip("/").rpartition("/")[2]) for one in items} == coded


def test_the_forms_of_the_page_do_what_they_say(client, trained):
    made = client.post(
        reverse("concept_new", args=[trained.pk]),
        {"called": "tax", "kind": "yes_no", "text": "Taxes."},
    )
    number = int(made["Location"].rstrip("/").split("/")[-1])
    change = reverse("concept_change", args=[trained.pk, number])
    sent = QueryDict("act=draw&size=40&topic=2&overlap=0&columns=decade")
    client.post(change, sent.dict() | {"columns": ["decade"]})
    client.post(change, {"act": "choose", "document": 3, "note": "the first"})
    client.post(change, {"act": "invite"})
    page = client.get(made["Location"]).content.decode()
    assert "the first" in page and "/code/" in page and "decade" in page
    refused = client.post(
        reverse("concept_new", args=[trained.pk]), {"called": "", "text": "kept"}, follow=True
    )
    assert "kept" in refused.content.decode() and 'class="error' in refused.content.decode()
    assert client.post(change, {"act": "dance"}).status_code == 400


def test_codes_made_elsewhere_come_in_by_id_and_are_estimated(client, trained):
    concept = concept_of(trained)
    texts = Document.objects.filter(corpus_id=trained.corpus_id).order_by("number")[:40]
    rows = [
        f"{one.source_id},{'yes' if i % 4 == 0 else 'no'},{name},0.2"
        for i, one in enumerate(texts)
        for name in ("Ann", "=Bo")
    ]
    file = SimpleUploadedFile(
        "codes.csv", "\n".join(["\ufeffID,Code,coder,probability", *rows]).encode()
    )
    page = client.post(
        reverse("concept_change", args=[trained.pk, concept.pk]),
        {"act": "take", "codes": file},
        follow=True,
    )
    assert "80 codes were taken in" in page.content.decode()
    data = client.get(reverse("concept_estimates_json", args=[trained.pk, concept.pk])).json()
    assert data["all"]["coded"] == 40 and data["all"]["sample"]["value"] == pytest.approx(0.25)
    assert sorted(concept.coders.values_list("name", flat=True)) == ["=Bo", "Ann"]
    assert coding.following(concept.coders.get(name="Ann")).item is None


def test_both_forms_of_a_draw_have_the_limits_of_the_draw(client, trained, monkeypatch):
    monkeypatch.setattr(concepts, "FEWEST_DRAWN", 7)
    monkeypatch.setattr(concepts, "DRAWN", 54_321)
    concept = concept_of(trained)
    page = reverse("concept", args=[trained.pk, concept.pk])
    for _ in ("the first draw", "more documents"):
        assert 'min="7" max="54321"' in client.get(page).content.decode()
        change = {"act": "draw", "size": "30", "overlap": "0"}
        client.post(reverse("concept_change", args=[trained.pk, concept.pk]), change)
    assert concept.draw.items.exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("id,code\n{id},maybe", "Line 2: “maybe” is no code of this concept"),
        ("id,code\nnobody,yes", "Line 2: no document here"),
        ("id,code\n\n\nnobody,yes", "Line 4: no document here"),
        ("id,label\n{id},yes", "columns id and code"),
        ("id,code,Code\n{id},yes,no", "names the column “code” twice"),
        ("id,code\n\n", "no code below"),
        ('id,code\n{id},"yes', "Line 2: the table is not CSV"),
        ("id,code,probability\n{id},yes,2", "A probability"),
        ("id,code,probability\n{id},yes,1e-320", "Line 2: A probability"),
        ("id,code,probability\n{id},yes,nan", "Line 2: A probability"),
        (
            "id,code\n{id},yes\na\0b,yes",
            "Line 3 can't be read: it has a character that no text has",
        ),
        (
            "id,code,coder\n{id},yes,a\0b",
            "Line 2 can't be read: it has a character that no text has",
        ),
        ("id,code,probability\n{id},yes,0.5\n{other},yes,", "others none"),
        ("", "columns id and code"),
        ("\xff", "must be UTF-8 text"),
    ],
)
def test_codes_that_can_not_be_read_are_refused_and_none_is_kept(client, trained, content, said):
    concept = concept_of(trained)
    texts = Document.objects.filter(corpus_id=trained.corpus_id).order_by("number")
    sent = content.format(id=texts[0].source_id, other=texts[1].source_id).encode("latin-1")
    with pytest.raises(Invalid, match=said):
        taking_in.receive(concept, trained, sent, "owner")
    assert not Coding.objects.filter(coder__concept=concept).exists() and not hasattr(
        Concept.objects.get(pk=concept.pk), "draw"
    )


def test_a_table_of_very_many_columns_or_rows_takes_no_time(trained, monkeypatch):
    """Each of its short rows was filled up to the width of the first."""
    concept = concept_of(trained)
    wide = ("id,code" + ",x" * 20_000 + "\n" + "a,b\n" * 20_000).encode()
    began = time.process_time()
    with pytest.raises(Invalid, match="no document here"):
        taking_in.receive(concept, trained, wide, "owner")
    assert time.process_time() - began < 5
    monkeypatch.setattr(imports, "READINGS", 100)
    with pytest.raises(Invalid, match="more than 100 codes"):
        taking_in.receive(concept, trained, b"id,code\n" + b"a,b\n" * 101, "owner")


def test_a_coder_codes_a_text_so_often_and_no_more(trained, monkeypatch):
    """Rows are only added, and whoever has the link may send forms for ever."""
    monkeypatch.setattr(coding, "TIMES", 3)
    concept = drawn(trained, 30, overlap=0)
    ann = coding.join(concept, "Ann")
    item = coding.following(ann).item
    holds = concepts.defined(concept).holds
    for code in (0, 1, 0):
        coding.save(ann, item, holds, code, False, "")
    with pytest.raises(Invalid, match="3 times"):
        coding.save(ann, item, holds, 1, False, "")
    following = coding.following(ann).item
    coding.save(ann, following, holds, 1, False, "")  # other texts can be coded
    assert Coding.objects.filter(coder=ann).count() == 4


def test_a_code_for_a_draw_that_was_taken_back_meanwhile_is_refused(trained):
    concept = drawn(trained, 30, overlap=0)
    ann = coding.join(concept, "Ann")
    item = coding.following(ann).item
    concepts.discard(concept)
    with pytest.raises(Invalid, match="taken back"):
        coding.save(ann, item, concepts.defined(concept).holds, 1, False, "")
    concepts.discard(concept)  # a second press finds nothing to do


@pytest.mark.parametrize("code", ["1e308", "-1e308", "inf", "nan", "1e-320"])
def test_a_scale_has_numbers_that_can_be_computed_with(trained, code):
    with pytest.raises(Invalid, match="Line 2: A number of a scale"):
        concept_of(trained, kind="scale", codes=f"0\n{code}")
    assert concept_of(trained, kind="scale", codes="0\n-2.5\n1e6").pk


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("owner", "reads like a role"),
        ("0wner", "reads like a role"),
        ("EDITOR", "reads like a role"),
        ("Ed it\u00f3r", "reads like a role"),
        ("\u043ewn\u0435r", "reads like a role"),
        ("Anna Berg", "codes here already"),
        ("anna  berg", "looks like “Anna Berg”"),
        ("Anna-Berg", "looks like “Anna Berg”"),
        ("\u0410nna B\u0435rg", "looks like “Anna Berg”"),
        ("Anna Be\u0301rg", "looks like “Anna Berg”"),
        ("Iris", "looks like “lris”"),
        ("...", "with a letter or a digit"),
    ],
)
def test_nobody_joins_as_somebody_else(trained, name, said):
    concept = drawn(trained, 30, overlap=0)
    coding.join(concept, "Anna Berg")
    coding.join(concept, "lris")
    with pytest.raises(Invalid, match=said):
        coding.join(concept, name, by_link=True)
    assert coding.join(concept, "Anna Bergmann", by_link=True).pk
    assert coding.join(concept, "\u0410\u043d\u043d\u0430", by_link=True).pk


def test_joining_is_limited_as_signing_in(trained):
    cache.clear()
    concept = drawn(trained, 30, overlap=0)
    concepts.invite(concept, on=True)
    concept.refresh_from_db()
    client = Client()
    for number in range(60):
        client.post(reverse("code", args=[concept.token]), {"name": f"Coder number {number}"})
    assert concept.coders.count() == 30
    page = client.post(reverse("code", args=[concept.token]), {"name": "Late"}, follow=True)
    assert "Too many have joined" in page.content.decode()
    cache.clear()


def test_a_text_that_was_kept_for_an_hour_goes_to_another(trained):
    concept = drawn(trained, 10, overlap=0)
    ann, bea = (coding.join(concept, name) for name in ("Ann", "Bea"))
    held = coding.following(ann).item
    code_all(concept, [bea], about_war)
    assert coding.following(bea) == (None, 9, 1)
    ann.assignments.update(at=timezone.now() - timedelta(hours=2))
    assert coding.following(bea).item == held == coding.following(ann).item


def test_an_account_codes_as_itself_whoever_took_its_name(trained, django_user_model):
    concept = drawn(trained, 10, overlap=0)
    vi = django_user_model.objects.create_user("vi@example.org", "Vi")
    coding.join(concept, "vi")
    with pytest.raises(Invalid, match="codes here already"):
        coding.join(concept, "Vi", vi)
    own = coding.join(concept, "Vi of the faculty", vi)
    assert coding.join(concept, "Vi", vi) == own
    concepts.withdraw(concept, own.pk, on=True)
    with pytest.raises(Invalid, match="An editor can put them back"):
        coding.join(concept, "Vi", vi)
    concepts.withdraw(concept, own.pk, on=False)
    assert coding.join(concept, "Vi", vi) == own


def test_a_coder_goes_back_to_the_concept_in_the_run_they_came_from(
    client, trained, django_user_model, settings
):
    settings.ACCOUNTS = True
    editor = django_user_model.objects.create_user("vi@example.org", "Vi")
    Membership.objects.create(corpus=trained.corpus, user=editor, role="editor")
    client.force_login(editor)
    concept = drawn(trained, 10, overlap=0)
    newer = Run.objects.get(pk=trained.pk)
    newer.pk = None
    newer.snapshot_id = None
    newer.save()
    for run in (trained, newer):
        sent = client.post(reverse("concept_join", args=[run.pk, concept.pk]))
        page = client.get(sent["Location"]).content.decode()
        assert f'href="{reverse("concept", args=[run.pk, concept.pk])}"' in page


def test_a_page_says_how_many_texts_two_readers_code_and_why_they_are_more(client, trained):
    """Of 80 documents 20% were to be coded twice, and 60 were, which no page said."""
    concept = drawn(trained, 30, topic="")
    address = reverse("concept", args=[trained.pk, concept.pk])
    text = " ".join(re.sub(r"<[^>]*>", "", client.get(address).content.decode()).split())
    assert (
        "documents were drawn at random. Two readers code 30 of them, to see whether they agree: you"
        " asked for 20%, but fewer than 60 could not tell. 0 of 60 readings are done; a document for"
        " two readers counts twice." in text
    )


def test_a_draw_is_done_once_and_taken_back_while_nothing_is_coded(client, trained):
    concept = concept_of(trained)
    change = reverse("concept_change", args=[trained.pk, concept.pk])
    sent = {"act": "draw", "size": "20", "overlap": "0", "have": "0"}
    for _ in range(2):  # the second was sent before the first was answered
        client.post(change, sent)
    assert concept.draw.items.count() == 20
    client.post(change, {"act": "discard"})
    assert not Draw.objects.filter(concept=concept).exists()
    client.post(change, sent)
    code_all(Concept.objects.get(pk=concept.pk), [coding.join(concept, "Ann")], about_war)
    assert "already" in client.post(change, {"act": "discard"}, follow=True).content.decode()
    assert Draw.objects.filter(concept=concept).exists()


def test_codes_that_are_numbers_count_what_they_say_and_are_taken_in_by_name(client, trained):
    concept = concept_of(trained, kind="scale", codes="1\n2\n3\n4\n5")
    texts = Document.objects.filter(corpus_id=trained.corpus_id)
    rows = [f"{one.source_id};{1 + i % 5}" for i, one in enumerate(texts.order_by("number")[:50])]
    taking_in.receive(concept, trained, "\n".join(["id;code", *rows]).encode(), "owner")
    assert Counter(
        Coding.objects.filter(coder__concept=concept).values_list("code", flat=True)
    ) == dict.fromkeys(range(5), 10)
    page = client.get(reverse("concept_estimates", args=[trained.pk, concept.pk])).content.decode()
    assert "“1” 1, “2” 2" in page and "made elsewhere" in page
    data = client.get(reverse("concept_estimates_json", args=[trained.pk, concept.pk])).json()
    assert data["all"]["sample"]["value"] == pytest.approx(3)


def test_an_address_at_which_nobody_codes_any_more_says_so(trained):
    page = Client().get(reverse("code", args=["x" * 43]))
    assert page.status_code == 404 and "Ask whoever invited you" in page.content.decode()
