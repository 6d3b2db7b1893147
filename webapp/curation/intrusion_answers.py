"""Keeping what readers answer in the reading protocol. What has been revealed to a reader can't be answered anew."""

import math

from django.db import transaction

from inference.errors import Invalid
from webapp.curation.services import LABEL, one_line
from webapp.models import Answer, Run

FITS = ("yes", "no", "unsure")
MOST = 50_000  # answers of one reader to questions of one run: each seed asks some thirteen of a topic


def save_reading(
    run: Run,
    number: int,
    seed: int,
    reader: str,
    passages: list[dict],
    fits: dict[int, str],
    label: str,
    confidence: str,
) -> None:
    """Keep what a reader has said so far of a topic's passages (curation.intrusion.passages), and the label if there is
    one.

    Raises Invalid when the label is too long, or comes without a confidence from 1 to 5; then the rest is kept.
    """
    for item, answer in fits.items():
        if answer not in FITS or not 0 <= item < len(passages):
            raise Invalid("fits", f"Mark each passage as {', '.join(FITS)}; got “{answer[:20]}” for {item + 1}.")
    _check_room(run, reader)
    with transaction.atomic():
        for item, answer in fits.items():
            payload = {name: passages[item][name] for name in ("document", "start", "end", "share", "stratum")}
            _keep(run, reader, Answer.Kind.FIT, number, seed, item, payload | {"fits": answer})
    label = one_line(label)
    if not label:
        return
    if len(label) > LABEL:
        raise Invalid("label", f"A label has at most {LABEL} characters; this one has {len(label):,}.")
    if confidence not in ("1", "2", "3", "4", "5"):
        raise Invalid("confidence", "Say how sure you are of the label, from 1 (a guess) to 5 (certain).")
    _keep(run, reader, Answer.Kind.LABEL, number, seed, 0, {"label": label, "confidence": int(confidence)})


def save_choice(run: Run, kind: str, number: int, seed: int, reader: str, test: dict, chosen: int) -> None:
    """Keep which word or topic a reader took for the intruder (curation.intrusion.word_test, topic_test). The first
    choice counts."""
    if not 0 <= chosen < len(test["shown"]):
        raise Invalid("chosen", f"Choose one of the {len(test['shown'])}.")
    _check_room(run, reader)
    payload = {"shown": test["shown"], "intruder": test["intruder"], "chosen": chosen}
    if kind == Answer.Kind.TOPICS:
        weights = test["weights"]
        payload["document"] = test["document"]
        payload["shown"] = [topic["number"] for topic in test["shown"]]
        # Chang et al. 2009, eq. 2; 0 is best
        payload["log_odds"] = math.log(weights[test["intruder"]] / weights[chosen])
    key = {"run": run, "reader": reader, "kind": kind, "topic": number, "seed": seed, "item": 0}
    Answer.objects.get_or_create(**key, defaults={"payload": payload})


def _check_room(run: Run, reader: str) -> None:
    if Answer.objects.filter(run=run, reader=reader)[MOST - 1 : MOST].exists():
        raise Invalid("answer", f"You have answered {MOST:,} questions of run {run.pk}, which is the most.")


def _keep(run: Run, reader: str, kind: str, number: int, seed: int, item: int, payload: dict) -> None:
    key = {"run": run, "reader": reader, "kind": kind, "topic": number, "seed": seed, "item": item}
    Answer.objects.update_or_create(**key, defaults={"payload": payload})
