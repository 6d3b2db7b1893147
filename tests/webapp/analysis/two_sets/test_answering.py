"""A question that would take a request long is answered by a worker, with the same numbers."""

import json
from dataclasses import replace
from urllib.parse import quote, urlencode

import numpy as np
import pytest
from django.http import QueryDict
from django.urls import reverse

from inference.errors import Invalid
from tests.webapp.failing import fail_task
from webapp.analysis.effects import answering as effects_answering, estimates, formula as formulas
from webapp.analysis.effects.estimator import Estimator
from webapp.analysis.effects.model import EffectQuestion
from webapp.analysis.two_sets import answering
from webapp.core.documents import document_days, fields
from webapp.core.documents.selection import Selection
from webapp.core.results.view import RunView
from webapp.models import StoredResult
from webapp.platform.jobs import dispatch
from webapp.platform.storage.cache import clear_all
from webapp.service.embedding import charts

pytestmark = pytest.mark.django_db


def questions(run) -> dict[str, str]:
    """Addresses: a span, the last and the first third, a value, two values, a set and the rest."""
    category = fields.categories(run.version)[0]
    first, second = category.values[:2]
    year = document_days.first_and_last(run.version)[0].year
    return {
        "span": f"?from_a={year}&to_a={year + 9}",
        "value": f"?in_a={category.name}:{first}",
        "chosen": f"?in_a={category.name}:{first}&in_b={category.name}:{second}",
        "at one time": f"?in_a={category.name}:{first}&constant=time",
        "a set": f"?q=congress&rest=1&from={year + 5}",
    }


@pytest.fixture
def sent(monkeypatch) -> list:
    """The tasks that workers are asked for, with their arguments."""
    messages: list = []
    monkeypatch.setattr(
        dispatch.app, "send_task", lambda task, arguments, **_: messages.append((task, arguments))
    )
    return messages


def leave_to_a_worker(monkeypatch) -> None:
    """No comparison of two sets is quick enough for a request, and none is kept."""
    for limit in ("QUICK_DOCUMENT_TOPICS", "QUICK_OF_FIELD", "QUICK_OF_TIME"):
        monkeypatch.setattr(answering, limit, 0)
    clear_all()


def test_pages_say_that_the_last_try_came_to_nothing(client, trained, monkeypatch, sent):
    query = questions(trained)["span"]
    leave_to_a_worker(monkeypatch)
    address = reverse("run_time_compare", args=[trained.pk]) + query
    assert "A worker compares both" in client.get(address).content.decode()
    ((task, arguments),) = sent
    *asked, by = arguments
    fail_task(task, asked, by)
    page = client.get(address)
    assert page.status_code == 202
    assert "A worker tried this, and failed" in page.content.decode()
    file = client.get(reverse("run_compare_csv", args=[trained.pk]) + query)
    assert file.status_code == 202 and "failed" in file.content.decode()
    assert len(sent) == 1, "nobody is asked again so soon"
    with dispatch.at_work(task, asked):
        pass  # done: other tests ask the same


@pytest.mark.parametrize("kind", ["span", "value", "chosen", "at one time", "a set"])
def test_a_worker_gives_the_answer_that_a_request_would(client, trained, monkeypatch, sent, kind):
    query = questions(trained)[kind]
    address = reverse("run_time_compare_json", args=[trained.pk]) + query
    quick = client.get(address)
    assert quick.status_code == 200, quick.content
    leave_to_a_worker(monkeypatch)
    waits = client.get(address)
    assert waits.status_code == 202
    sides = [side["name"] for side in quick.json()["sides"]]
    assert waits.json() == {"sides": sides, "has_failed": False}
    page = client.get(reverse("run_time_compare", args=[trained.pk]) + query)
    assert page.status_code == 202 and 'role="status"' in page.content.decode()
    topics = [row["number"] for part in quick.json()["more"] for row in part]
    topic = (topics or [0])[0]
    claim = reverse("run_claim_json", args=[trained.pk]) + f"{query}&topic={topic}"
    served = f"/api/v1/runs/{trained.pk}/topics/{topic}/claim{query}"
    assert client.get(claim).status_code == client.get(served).status_code == 202
    ((task, arguments),) = sent  # it is asked for once, however many pages wait
    from tasks import runs

    assert task == runs.answer.name
    runs.answer(*arguments)
    clear_all()
    monkeypatch.setattr(
        "webapp.analysis.two_sets.contrasts.answer_of", None
    )  # nobody answers again
    assert client.get(address).json() == quick.json()
    assert client.get(claim).status_code in (200, 400)
    assert client.get(served).status_code == client.get(claim).status_code
    made = list(StoredResult.objects.filter(snapshot=trained.snapshot).values_list("pk", "made_at"))
    runs.answer(*arguments)  # a message that came twice
    assert made == list(
        StoredResult.objects.filter(snapshot=trained.snapshot).values_list("pk", "made_at")
    )


def test_what_can_not_be_compared_is_said_before_a_worker_is_asked(client, trained, monkeypatch):
    monkeypatch.setattr(answering, "QUICK_OF_TIME", 0)
    address = reverse("run_time_compare_json", args=[trained.pk])
    answer = client.get(address, {"from_a": "1300", "to_a": "1301"})
    assert answer.status_code == 400


EFFECTS = ["president", "spline(date)", "president + spline(date)"]


@pytest.mark.parametrize("formula", EFFECTS)
@pytest.mark.parametrize("topics", [[], [1], [1, 2]], ids=str)
def test_a_worker_gives_the_effects_that_a_request_would(
    client, trained, monkeypatch, sent, formula, topics
):
    query = urlencode({"formula": formula, "topic": topics}, doseq=True)
    address = reverse("run_effects_json", args=[trained.pk]) + f"?{query}"
    served = f"/api/v1/runs/{trained.pk}/effects?" + urlencode(
        {"formula": formula, "topic": ",".join(map(str, topics))}
    )
    file = reverse("run_effects_csv", args=[trained.pk]) + f"?formula={quote(formula)}"
    claim = reverse("run_claim_json", args=[trained.pk]) + f"?formula={quote(formula)}&topic=1"
    quick = [client.get(each) for each in (address, served)]
    assert [answer.status_code for answer in quick] == [200, 200], quick[0].content
    quick_file = client.get(file).content
    quick_claim = client.get(claim)
    monkeypatch.setattr(effects_answering, "QUICK_DOCUMENT_TOPICS", 0)
    clear_all()
    assert client.get(address).status_code == 202
    waiting = {"sides": quick[0].json()["settings"], "has_failed": False}
    assert client.get(address).json() == waiting
    from tasks import runs

    ((task, arguments),) = sent  # it is asked for once, however many pages wait
    assert task == runs.estimate_effects.name
    runs.estimate_effects(*json.loads(json.dumps(arguments)))
    if topics:  # files and claims are of all topics
        assert client.get(file).status_code == 202
        _, (task, arguments) = sent
        runs.estimate_effects(*json.loads(json.dumps(arguments)))
    clear_all()
    monkeypatch.setattr(Estimator, "answer_topics", None)  # nobody estimates again
    assert client.get(address).json() == quick[0].json()
    assert client.get(served).json() == quick[1].json()
    assert client.get(file).content == quick_file
    answer = client.get(claim)
    assert answer.status_code == quick_claim.status_code
    assert answer.json()["topic"] == quick_claim.json()["topic"]


def test_stored_estimates_answer_of_no_other_topics(trained):
    """What a worker stored is of the topics that it was asked for."""
    selection = Selection.all(RunView(trained))
    category = fields.categories(trained.version)[0].name
    regression = estimates.regression_of(selection, EffectQuestion(formulas.read(category)))
    table = regression.table()
    along = regression.along([1])
    stored = estimates.Estimates(table, np.zeros((2, 0)), along, None, None)
    regression = replace(regression, stored=stored, shown_topics=(1,))
    assert regression.along([1]) is along
    with pytest.raises(ValueError, match="asked for were"):
        regression.along([2])


def test_an_embedded_chart_waits_for_the_worker(client, trained, monkeypatch, sent):
    query = QueryDict(questions(trained)["value"].removeprefix("?"))
    monkeypatch.setattr(answering, "QUICK_OF_FIELD", 0)
    with pytest.raises(Invalid, match="A worker still compares"):
        charts.chart(RunView(trained), "compare", query)
    assert [task for task, _ in sent] == [answering.TASK]
