"""Estimates: those of inference.codes on what was coded, shown with their passages, and as a file;
nothing is said too early."""

import csv
import io
from types import SimpleNamespace

import numpy as np
import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from tests.webapp.service.codebook.making import code_all, drawn, one_seed
from tests.webapp.service.codebook.test_coding import about_war
from webapp.core.documents import document_groups
from webapp.models import Document
from webapp.platform.accounts.roles import Role
from webapp.service.codebook import (
    codebook_tags,
    coding,
    concepts,
    estimates_page,
    views,
    written_intervals,
)
from webapp.service.codebook.shapes import Cell, Interval

__all__ = ["one_seed"]
pytestmark = pytest.mark.django_db


def get(client, run, concept, query: str = "") -> dict:
    data = client.get(reverse("concept_estimates_json", args=[run.pk, concept.pk]) + query).json()
    return data


def test_nothing_is_estimated_before_there_are_codes(client, trained):
    concept = drawn(trained, 30, overlap=0)
    assert "0 documents are coded" in get(client, trained, concept)["problem"]
    page = client.get(reverse("concept_estimates", args=[trained.pk, concept.pk]))
    assert "0 documents are coded" in page.content.decode()


def test_estimates_open_by_the_column_that_was_ticked(client, trained):
    ticked = document_groups.possible_groupings(trained.version)[-1]
    assert ticked != document_groups.usual_grouping(trained.version)
    concept = drawn(trained, 60, columns=[ticked], overlap=0)
    code_all(concept, [coding.join(concept, "Ann")], about_war)
    assert get(client, trained, concept)["by"] == ticked
    assert get(client, trained, concept, "?by=decade")["by"] == "decade"


@pytest.mark.parametrize(("coded", "high"), [(1, None), (2, 0.99)])
def test_one_or_two_coded_documents_give_no_estimate(coded, high):
    nothing = Interval(None, None, None)
    cell = Cell(
        label="1790s",
        documents=40,
        coded=coded,
        positives=1.0,
        corrected=Interval(0.93, 0.01, high),
        beyond=nothing,
        sample=Interval(0.93, 0.01, high),
        naive=0.4,
        few=True,
        url="/",
    )
    shown = render_to_string(
        "codebook/_estimate.html", {"cell": cell, "scale": False, "most": 1.0, "whole": False}
    )
    assert f"too few coded documents: {coded}" in shown
    assert "93%" not in shown and "99%" not in shown


@pytest.mark.parametrize(
    ("is_scale", "coded", "positives", "told"),
    [
        (False, 60, 0.0, "None of the 60 coded documents has it."),
        (False, 60, 1.0, "Only 1 of 60 coded documents has it."),
        (False, 60, 0.5, "Only 0.5 of 60 coded documents have it."),
        (False, 60, 58.0, "Only 2 of 60 coded documents do not have it."),
        (False, 60, 60.0, "All of the 60 coded documents have it."),
        (True, 4, 12.0, "Only 4 documents are coded."),
    ],
)
def test_few_codes_of_either_kind_are_told(is_scale, coded, positives, told):
    cell = SimpleNamespace(
        coded=coded,
        positives=positives,
        without=coded - positives,
        few_without=coded - positives < positives,
    )
    assert estimates_page.say_few_codes(SimpleNamespace(is_scale=is_scale), cell) == told


@pytest.mark.parametrize(
    ("is_scale", "coded", "positives", "told"),
    [
        (False, 13, 13, "all 13 have the code"),  # said “0 of 13 do not have the code”
        (False, 20, 1, "only 1 of 20 has the code"),  # said “1 of 20 have the code”
        (False, 20, 2.5, "only 2.5 of 20 have the code"),
        (False, 20, 19, "only 1 of 20 does not have the code"),
        (False, 20, 0, "none of 20 has the code"),
        (True, 3, 0, "only 3 coded"),
    ],
)
def test_a_row_says_on_how_few_codes_it_rests(is_scale, coded, positives, told):
    cell = SimpleNamespace(
        coded=coded,
        positives=positives,
        without=coded - positives,
        few_without=coded - positives < positives,
    )
    assert codebook_tags.few_codes(cell, is_scale) == told


@pytest.mark.parametrize(
    ("values", "is_scale", "written"),
    [
        ((-0.001, -0.104, 0.003), False, "0 points (95% interval −10 to 0)"),
        ((0.07, -0.01, 0.15), False, "+7 points (95% interval −1 to +15)"),
        ((-0.001, -0.25, 0.5), True, "0.00 (95% interval −0.25 to +0.50)"),
    ],
)
def test_no_difference_of_nothing_has_a_sign(values, is_scale, written):
    """“a difference of −0 points”"""
    assert written_intervals.write_difference(Interval(*values), is_scale) == written


def test_what_more_codes_give_is_told_of_shares_and_of_means():
    share = SimpleNamespace(is_scale=False, code_values=[])
    assert estimates_page.write_more_needed(share, 0) == ""
    assert estimates_page.write_more_needed(share, 1) == (
        "Judged by the codes so far, with 1 more coded document the share of all would be known to"
        " within 2 percentage points."
    )
    scale = SimpleNamespace(is_scale=True, code_values=[0.0, 1.0, 2.0])
    assert estimates_page.write_more_needed(scale, 1200) == (
        "Judged by the codes so far, with 1,200 more coded documents the mean of all would be known"
        " to within 0.04, on the scale from 0 to 2."
    )


def test_coded_documents_are_quoted_to_the_end_of_a_word(client, trained):
    concept = drawn(trained, 60, overlap=0)
    code_all(concept, [coding.join(concept, "Ann")], about_war)
    shown = [text["text"] for text in get(client, trained, concept)["passages"]]
    known = Document.objects.filter(corpus_id=trained.corpus_id)
    whole = list(known.values_list("text", flat=True))
    assert any(text.endswith(" …") for text in shown)
    for text in shown:
        beginning = text.removesuffix(" …")
        document = next(one for one in whole if one.startswith(beginning))
        assert document[len(beginning) :][:1].strip() == "" and (
            text != document[: len(text)] or text == document
        )


def test_the_share_is_near_the_truth_and_exact_where_all_is_coded(client, trained):
    concept = drawn(trained, trained.version.documents, overlap=0)
    code_all(concept, [coding.join(concept, "Ann")], about_war)
    texts = Document.objects.filter(corpus_id=trained.corpus_id).order_by("number")
    truth = np.array([about_war(None, document.text) for document in texts])
    data = get(client, trained, concept, "?by=decade")
    whole = data["all"]
    assert whole["documents"] == whole["coded"] == len(truth) and data["waiting"] == 0
    assert [whole["corrected"][name] for name in ("value", "low", "high")] == pytest.approx(
        [truth.mean()] * 3
    )
    decades = [(document.date.year // 10 * 10) for document in texts]
    for cell in data["cells"]:
        mine = truth[[f"{year}s" == cell["label"] for year in decades]]
        assert (cell["documents"], cell["positives"]) == (len(mine), mine.sum())
        assert cell["corrected"]["value"] == pytest.approx(mine.mean())


def test_a_sample_holds_the_truth_in_its_interval_and_says_how_it_was_made(client, trained):
    concept = drawn(trained, 90, columns=["decade"], overlap=0)
    code_all(concept, [coding.join(concept, name) for name in ("Ann", "Bea")], about_war)
    data = get(client, trained, concept, "?by=decade&cell=1")
    truth = np.mean(
        [
            about_war(None, t)
            for t in Document.objects.filter(corpus_id=trained.corpus_id).values_list(
                "text", flat=True
            )
        ]
    )
    assert data["all"]["corrected"]["low"] <= truth <= data["all"]["corrected"]["high"]
    assert "2 readers" in data["method"] and data["method"].startswith(
        f"{data['all']['coded']:,} of "
    )
    assert (
        data["cell"] == data["cells"][1]["label"]
        and len(data["passages"]) == data["cells"][1]["coded"]
    )
    assert all(one["codes"] in (["yes"], ["no"]) for one in data["passages"])
    rows = list(
        csv.DictReader(
            io.StringIO(
                client.get(
                    reverse("concept_estimates_csv", args=[trained.pk, concept.pk]) + "?by=decade"
                ).content.decode()
            )
        )
    )
    assert [row["cell"] for row in rows] == [
        "all documents",
        *(cell["label"] for cell in data["cells"]),
    ]
    assert float(rows[0]["corrected"]) == pytest.approx(data["all"]["corrected"]["value"], abs=1e-6)


def test_settled_codes_count_once_all_is_settled(client, trained):
    concept = drawn(trained, 60)
    coders = [coding.join(concept, name) for name in ("Ann", "Bea")]
    code_all(
        concept, coders, lambda coder, text: int(coder.name == "Ann" or about_war(coder, text))
    )
    before = get(client, trained, concept)["all"]["positives"]
    differ = client.get(reverse("concept_agreement_json", args=[trained.pk, concept.pk])).json()[
        "disagreements"
    ]
    assert differ
    for one in differ[:-1]:
        coding.settle(concept, one["item"], 0, "owner")
    assert get(client, trained, concept)["all"]["positives"] == before
    coding.settle(concept, differ[-1]["item"], 0, "owner")
    assert get(client, trained, concept)["all"]["positives"] == pytest.approx(
        before - len(differ) / 2
    )


def test_a_scale_has_a_mean_and_one_of_several_a_share_of_each_code(client, trained):
    scale = drawn(trained, 60, overlap=0, kind="scale", codes="none\nsome\nmuch")
    code_all(
        scale, [coding.join(scale, "Ann")], lambda coder, text: min(text.lower().count(" war "), 2)
    )
    data = get(client, trained, scale)
    assert 0 < data["all"]["corrected"]["value"] < 2 and "The mean of “war” is" in data["sentence"]
    several = drawn(trained, 60, overlap=0, kind="one_of", codes="none\nsome\nmuch")
    code_all(
        several,
        [coding.join(several, "Ann")],
        lambda coder, text: min(text.lower().count(" war "), 2),
    )
    shares = [
        get(client, trained, several, f"?code={i}")["all"]["sample"]["value"] for i in range(3)
    ]
    assert (
        sum(shares) == pytest.approx(1)
        and get(client, trained, several, "?code=2")["code"] == "much"
    )


def test_the_strata_go_on_where_the_run_is_gone(client, trained):
    concept = drawn(trained, 60, overlap=0)
    code_all(concept, [coding.join(concept, "Ann")], about_war)
    concept.draw.run = None
    concept.draw.save()
    assert get(client, trained, concept)["all"]["corrected"]["value"] > 0
    assert concepts.defined(concept).base == 1


def test_what_was_settled_anew_counts_at_once(client, trained):
    concept = drawn(trained, 60)
    coders = [coding.join(concept, name) for name in ("Ann", "Bea")]
    code_all(
        concept, coders, lambda coder, text: int(coder.name == "Ann") if len(text) % 3 == 0 else 0
    )
    differ = client.get(reverse("concept_agreement_json", args=[trained.pk, concept.pk])).json()[
        "disagreements"
    ]
    shares = []
    for first in (1, 0):  # as many yes as before, of other texts
        for i, one in enumerate(differ):
            coding.settle(concept, one["item"], first if i % 2 else 1 - first, "owner")
        shares.append(
            [cell["positives"] for cell in get(client, trained, concept, "?by=decade")["cells"]]
        )
    assert shares[0] != shares[1]


def test_codes_of_single_texts_are_hidden_from_coders_until_all_is_coded(
    client, trained, monkeypatch
):
    concept = drawn(trained, 30, overlap=0)
    ann = coding.join(concept, "Ann")
    for _ in range(15):
        coding.save(ann, coding.following(ann).item, concepts.defined(concept).holds, 1, False, "")
    monkeypatch.setattr(views, "request_context", lambda request: SimpleNamespace(role=Role.VIEWER))
    assert not any(one["codes"] for one in get(client, trained, concept)["passages"])
    code_all(concept, [ann], about_war)
    assert all(one["codes"] for one in get(client, trained, concept)["passages"])


def test_an_effect_with_the_date_held_constant_is_that_of_all_codes(client, trained):
    concept = drawn(trained, trained.version.documents, overlap=0)
    code_all(concept, [coding.join(concept, "Ann")], about_war)
    assert get(client, trained, concept)["effect"] is None
    query = "?effect=party&held=date&x=Democratic-Republican&y=Federalist"
    found = get(client, trained, concept, query)["effect"]
    texts = [
        d
        for d in Document.objects.filter(corpus_id=trained.corpus_id).order_by("number")
        if d.metadata.get("party") and d.date
    ]
    parties = sorted({d.metadata["party"] for d in texts})
    X = np.array(
        [[d.date.toordinal() / 1e5, *(d.metadata["party"] == p for p in parties)] for d in texts]
    )
    beta = np.linalg.lstsq(
        X, np.array([about_war(None, d.text) for d in texts], float), rcond=None
    )[0]
    difference = (
        beta[1 + parties.index("Federalist")] - beta[1 + parties.index("Democratic-Republican")]
    )
    assert found["settings"] == ["Democratic-Republican", "Federalist"] and found["held"] == [
        "date"
    ]
    assert [found["corrected"][name] for name in ("value", "low", "high")] == pytest.approx(
        [difference] * 3, abs=0.002
    )
    assert found["beyond"]["low"] < difference < found["beyond"]["high"]
    page = client.get(
        reverse("concept_estimates", args=[trained.pk, concept.pk]) + query
    ).content.decode()
    assert found["sentence"] in page and "predictions counted" in page


def test_an_effect_that_can_not_be_told_is_a_sentence(client, trained):
    concept = drawn(trained, 60, overlap=0)
    code_all(concept, [coding.join(concept, "Ann")], about_war)
    for query, said in (
        ("?effect=nothing", "nothing"),
        ("?effect=party&x=Whigs%20of%20Mars", "Whigs of Mars"),
    ):
        data = get(client, trained, concept, query)
        assert data["effect"] is None and said in data["problem"] and data["all"]["coded"] == 60
        page = client.get(
            reverse("concept_estimates", args=[trained.pk, concept.pk]) + query
        ).content.decode()
        assert said in page
