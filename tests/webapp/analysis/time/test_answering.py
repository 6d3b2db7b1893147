"""A question that would take a request long is answered by a worker, with the same numbers."""

import pytest
from django.urls import reverse

from webapp.analysis.time import answering
from webapp.core.documents import fields
from webapp.models import Findings
from webapp.platform.jobs import dispatch
from webapp.platform.storage.cache import clear_all

pytestmark = pytest.mark.django_db


def questions(run) -> dict[str, str]:
    """Addresses: a span, the last and the first third, a value, two values, a set and the rest."""
    category = fields.categories(run.version)[0]
    first, second = category.values[:2]
    year = fields.dated(run.version)[0].year
    return {
        "span": f"?from_a={year}&to_a={year + 9}",
        "value": f"?in_a={category.name}:{first}",
        "chosen": f"?in_a={category.name}:{first}&in_b={category.name}:{second}",
        "at one time": f"?in_a={category.name}:{first}&constant=time",
        "a set": f"?q=congress&rest=1&from={year + 5}",
    }


@pytest.mark.parametrize("kind", ["span", "value", "chosen", "at one time", "a set"])
def test_a_worker_gives_the_answer_that_a_request_would(client, trained, monkeypatch, kind):
    query = questions(trained)[kind]
    address = reverse("run_time_compare_json", args=[trained.pk]) + query
    quick = client.get(address)
    assert quick.status_code == 200, quick.content
    sent = []
    monkeypatch.setattr(answering, "QUICK", 0)
    monkeypatch.setattr(answering, "QUICK_OF_TIME", 0)
    monkeypatch.setattr(
        dispatch.app, "send_task", lambda task, arguments, **_: sent.append((task, arguments))
    )
    clear_all()
    waits = client.get(address)
    assert waits.status_code == 202
    assert waits.json() == {"sides": [side["name"] for side in quick.json()["sides"]]}
    page = client.get(reverse("run_time_compare", args=[trained.pk]) + query)
    assert page.status_code == 202 and 'role="status"' in page.content.decode()
    topics = [row["number"] for part in quick.json()["more"] for row in part]
    claim = reverse("run_claim_json", args=[trained.pk]) + f"{query}&topic={(topics or [0])[0]}"
    assert client.get(claim).status_code == 202
    ((task, arguments),) = sent  # it is asked for once, however many pages wait
    from tasks import runs

    assert task == runs.answer.name
    runs.answer(*arguments)
    clear_all()
    monkeypatch.setattr("webapp.analysis.time.contrasts.answer_of", None)  # nobody answers again
    assert client.get(address).json() == quick.json()
    assert client.get(claim).status_code in (200, 400)
    made = list(Findings.objects.filter(snapshot=trained.snapshot).values_list("pk", "made_at"))
    runs.answer(*arguments)  # a message that came twice
    assert made == list(
        Findings.objects.filter(snapshot=trained.snapshot).values_list("pk", "made_at")
    )


def test_what_can_not_be_compared_is_said_before_a_worker_is_asked(client, trained, monkeypatch):
    monkeypatch.setattr(answering, "QUICK_OF_TIME", 0)
    address = reverse("run_time_compare_json", args=[trained.pk])
    answer = client.get(address, {"from_a": "1300", "to_a": "1301"})
    assert answer.status_code == 400
