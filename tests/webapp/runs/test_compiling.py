"""What a run's page says while the engine is being compiled."""

import pytest

import inference
from inference import jit
from tasks.runs import train
from webapp.models import Run
from webapp.runs import services as runs
from webapp.runs import training


def one_more(x):
    return x + 1


@pytest.mark.django_db
def test_a_run_that_waits_for_the_compiler_says_so(ready, client, monkeypatch):
    run, said = runs.create(ready.version, seed=3, topics=3, passes=2), []

    def notice() -> str:
        page = client.get(f"/runs/{run.pk}/")
        assert page.status_code == 200
        error = client.get(f"/runs/{run.pk}.json").json()["error"]
        assert error in page.content.decode()
        return error

    def compiles_first(*arguments, trains=inference.train, **options):
        said.append(notice())
        with monkeypatch.context() as patch:
            patch.setattr(jit.kernel_files, "read", lambda name: None)  # a folder that has no kernels
            jit.njit(cache=True)(one_more)(1)
        said.append(notice())
        for event in trains(*arguments, **options):
            yield event
            said.append(notice())

    monkeypatch.setattr(training.inference, "train", compiles_first)
    train(run.pk)
    assert said[:2] == ["", training.COMPILES] and {*said[2:]} == {""} and len(said) > 2
    run = Run.objects.get(pk=run.pk)
    assert (run.status, run.error) == ("done", "")
