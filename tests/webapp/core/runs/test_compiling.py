"""What a run's page says while the engine is being compiled; and that a worker compiles nothing
after the warm-up."""

import os
import subprocess
import sys

import pytest
from django.conf import settings
from django.db import connection

import inference
from inference.runtime import jit
from tasks.runs import train
from tests.conftest import ROOT, ROWS
from tests.corpora import example_rows
from tests.webapp.making import corpus_of
from webapp.core.runs import progress_reports, services as runs, training
from webapp.models import Run


def one_more(x):
    return x + 1


@pytest.mark.django_db
def test_a_run_that_waits_for_the_compiler_says_so(ready, client, monkeypatch):
    run = runs.create(ready.version, seed=3, topics=3, engine_settings={"passes": 2})
    said = []

    def notice() -> str:
        page = client.get(f"/runs/{run.pk}/")
        assert page.status_code == 200
        state = client.get(f"/runs/{run.pk}.json").json()
        assert state["error"] == "" and state["notice"] in page.content.decode()
        return state["notice"]

    def compiles_first(*arguments, trains=inference.train, **options):
        said.append(notice())
        with monkeypatch.context() as patch:
            # A folder that has no kernels
            patch.setattr(jit.kernel_files, "read", lambda name: None)
            jit.njit(cache=True)(one_more)(1)
        said.append(notice())
        for event in trains(*arguments, **options):
            yield event
            said.append(notice())

    monkeypatch.setattr(training.inference, "train", compiles_first)
    train(run.pk)
    assert said[:2] == ["", progress_reports.COMPILES] and {*said[2:]} == {""} and len(said) > 2
    run = Run.objects.get(pk=run.pk)
    assert (run.status, run.error, run.notice) == ("done", "", "")


WORKER = """
import sys
import django
django.setup()
from numba.core.dispatcher import Dispatcher
from inference import compiling
from tasks.runs import train

compiling.usual()
compiling.rest()
compiled = []

def noticed(kernel, signature, compile=Dispatcher.compile):
    if tuple(signature) not in kernel.overloads:  # the warm-up has not met it
        compiled.append(f"{kernel} {signature}")
    return compile(kernel, signature)

Dispatcher.compile = noticed
train(int(sys.argv[1]))
print(compiled)
"""


@pytest.mark.django_db(transaction=True)
def test_a_training_in_a_worker_compiles_nothing_after_the_warm_up(draft):
    corpus = corpus_of(
        draft, example_rows(ROWS), "seen by another process", language="en", min_documents=3
    )
    run = runs.create(corpus.version, seed=5, topics=25)
    database = f"{settings.DATABASE_URL.rsplit('/', 1)[0]}/{connection.settings_dict['NAME']}"
    env = os.environ | {"DATABASE_URL": database, "DJANGO_SETTINGS_MODULE": "webapp.settings"}
    command = [sys.executable, "-c", WORKER, str(run.pk)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=600)
    assert done.stdout.strip().splitlines()[-1:] == ["[]"], done.stdout + done.stderr
    run = Run.objects.select_related("snapshot").get(pk=run.pk)
    assert run.status == "done" and run.snapshot.left_to_right < 0, run.error
