"""Which topic a text names: one syntax and one sentence, wherever a topic is asked for."""

import pytest
from django.urls import reverse

from inference.errors import Invalid
from tests import addresses
from webapp.core.results import topic_numbers
from webapp.models import Run

RUN = Run(pk=3, settings={"topics": 13})
SENTENCE = "Run 3 has topics 0 to 12 (T00 to T12); got"


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7), ("T07", 7), ("t7", 7), ("0", 0), ("T12", 12), ("00012", 12)],
)
def test_a_topic_is_named_by_its_number_or_as_pages_write_it(text, number):
    assert topic_numbers.find(text, RUN) == topic_numbers.read(f" {text} ", RUN, "topic") == number
    assert topic_numbers.is_written(text)


@pytest.mark.parametrize(
    "text", ["13", "T13", "", "-1", "²", "٣", "TT3", "7.0", "T", "000007", "war"]
)
def test_what_names_no_topic_is_quoted(text):
    assert topic_numbers.find(text, RUN) is None
    with pytest.raises(Invalid, match="has topics 0 to 12") as error:
        topic_numbers.read(text, RUN, "into")
    assert error.value.field == "into" and error.value.message == f"{SENTENCE} “{text}”."


def test_several_are_named_with_commas_or_spaces_and_each_counts_once():
    assert topic_numbers.read_several(["3,T07 3", "", " 1 , t2"], RUN, "topics") == [3, 7, 1, 2]
    assert topic_numbers.find_several(["3", "T01", "x", "99", "3"], RUN) == [1, 3]
    with pytest.raises(Invalid, match="got “x”"):
        topic_numbers.read_several(["3,x"], RUN, "topics")


@pytest.mark.parametrize("number", [-1, 13])
def test_a_number_is_checked(number):
    assert topic_numbers.check(12, RUN, "topic") == 12
    with pytest.raises(Invalid, match=f"got {number}"):
        topic_numbers.check(number, RUN, "topic")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("run_topics", "topics={}"),
        ("run_topics", "families=2&family={}"),
        ("run_documents", "by={}"),
        ("run_documents", "has={}:20"),
        ("run_documents", "with={}&least=20"),
        ("run_time", "topics={}"),
    ],
)
def test_every_address_takes_both(client, trained, name, query):
    url = reverse(f"{name}_json", args=[trained.pk])
    asked = [client.get(f"{url}?{query.format(topic)}") for topic in ("1", "T01")]
    assert [answer.status_code for answer in asked] == [200, 200]
    # Links to the page itself say what was asked
    bodies = [answer.content.decode().replace("T01", "1") for answer in asked]
    assert bodies[0] == bodies[1]
    refused = client.get(f"{url}?{query.format('T99')}")
    last = trained.topics - 1
    assert refused.status_code == 400
    sentence = f"Run {trained.pk} has topics 0 to {last} (T00 to T{last:02d}); got “T99”."
    assert refused.json()["error"] == sentence


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name", ["run_word", "run_collocations", "run_topic_split", "run_curation"]
)
def test_one_topic_is_asked_for_in_both_ways(client, trained, name):
    url = addresses.address(f"{name}_json", trained.corpus_id, trained.pk)
    answers = [client.get(f"{url}?topic={topic}&q=war&rest=1") for topic in ("1", "T01")]
    assert [answer.status_code for answer in answers] == [200, 200]
    for wrong in ("T", "x", "-1", "²"):
        refused = client.get(f"{url}?topic={wrong}&q=war&rest=1")
        assert refused.status_code == 400
        assert "such as 7 or T07" in refused.json()["error"]
