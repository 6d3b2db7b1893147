"""Keeping readers' answers to the reading tests. What has been revealed to a reader can't be
answered again."""

import math

from django.db import transaction

from inference.errors import Invalid
from webapp.core.curation import intrusion
from webapp.core.curation.intrusion import TopicTest, WordTest
from webapp.core.curation.services import LABEL
from webapp.core.curation.shapes import Passage, Test
from webapp.models import Answer, Run
from webapp.platform.typed_text import one_line

FITS = ("yes", "no", "unsure")
REVEALED = "You have seen which topic this is, so your answers can no longer be changed."
MOST_ANSWERS = (
    50_000  # answers of one reader to questions of one run: each seed asks some thirteen of a topic
)


def save_reading(
    run: Run,
    number: int,
    seed: int,
    reader: str,
    passages: list[Passage],
    fits: dict[int, str],
    label: str,
    confidence: str,
) -> None:
    """Keep the answers that a reader has given so far about a topic's passages
    (curation.intrusion.passages), and the label if there is one.

    Raises Invalid when the label is too long, or comes without a confidence from 1 to 5; then the
    rest is kept. Raises it, too, when all had been answered before, and so was revealed.
    """
    for item, answer in fits.items():
        if answer not in FITS or not 0 <= item < len(passages):
            raise Invalid(
                "fits",
                f"Mark each passage as {', '.join(FITS)}; got “{answer[:20]}” for {item + 1}.",
            )
    check_room(run, reader)
    label = one_line(label)
    wrong_label = _wrong_label(label, confidence) if label else None
    with transaction.atomic():
        # One request at a time: another one may give the last answer, and have the topic revealed
        Run.objects.select_for_update(no_key=True).get(pk=run.pk)
        answered = intrusion.answers(run, number, seed, reader, "label", "fit")
        if intrusion.revealed(answered, passages):
            raise Invalid("fits", REVEALED)
        for item, answer in fits.items():
            payload = {
                name: getattr(passages[item], name)
                for name in ("document", "start", "end", "share", "stratum")
            }
            _keep(run, reader, Answer.Kind.FIT, number, seed, item, payload | {"fits": answer})
        if label and wrong_label is None:
            payload = {"label": label, "confidence": int(confidence)}
            _keep(run, reader, Answer.Kind.LABEL, number, seed, 0, payload)
    if wrong_label is not None:
        raise wrong_label


def _wrong_label(label: str, confidence: str) -> Invalid | None:
    """Why a label can't be kept."""
    if len(label) > LABEL:
        return Invalid(
            "label", f"A label has at most {LABEL} characters; this one has {len(label):,}."
        )
    if confidence not in ("1", "2", "3", "4", "5"):
        return Invalid(
            "confidence", "Say how sure you are of the label, from 1 (a guess) to 5 (certain)."
        )
    return None


def save_choice(
    run: Run,
    kind: Test,
    number: int,
    seed: int,
    reader: str,
    test: WordTest | TopicTest,
    choice: int,
) -> None:
    """Keep which word or topic a reader took for the intruder. The first choice counts."""
    if not 0 <= choice < len(test.shown):
        raise Invalid("chosen", f"Choose one of the {len(test.shown)}.")
    check_room(run, reader)
    payload: dict[str, object] = {"shown": test.shown, "intruder": test.intruder, "chosen": choice}
    if isinstance(test, TopicTest):
        payload |= {
            "document": test.document,
            "shown": [topic for topic, _ in test.shown],
            # Chang et al. 2009, eq. 2; 0 is best
            "log_odds": math.log(test.weights[test.intruder] / test.weights[choice]),
        }
    Answer.objects.get_or_create(
        run=run,
        reader=reader,
        kind=kind,
        topic=number,
        seed=seed,
        item=0,
        defaults={"payload": payload},
    )


def check_room(run: Run, reader: str) -> None:
    """Raises Invalid where a reader has given as many answers to a run as are kept."""
    if Answer.objects.filter(run=run, reader=reader)[MOST_ANSWERS - 1 : MOST_ANSWERS].exists():
        raise Invalid(
            "answer",
            f"You have answered {MOST_ANSWERS:,} questions of run {run.pk}, which is the most.",
        )


def _keep(
    run: Run, reader: str, kind: str, number: int, seed: int, item: int, payload: dict
) -> None:
    Answer.objects.update_or_create(
        run=run,
        reader=reader,
        kind=kind,
        topic=number,
        seed=seed,
        item=item,
        defaults={"payload": payload},
    )
