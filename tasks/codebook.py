"""Celery's entries to the jobs of a codebook: how far coders agree
(webapp.service.codebook.agreement), and codes that were made elsewhere
(webapp.service.codebook.taking_in)."""

from tasks.celery import app
from webapp.service.codebook import agreement, taking_in


@app.task(name=agreement.TASK)
def agree(concept_id: int, asker: int | None) -> None:
    """asker: the user whose page asked, None for a guest."""
    agreement.compute(concept_id, asker)


@app.task(name=taking_in.TASK)
def take_in(code_file_id: int) -> None:
    taking_in.read_file(code_file_id)
