"""Drafts whose persons got pseudonyms: what is deleted of the originals (docs/pseudonyms.md)."""

from webapp.intake.ingest import pseudonyms
from webapp.service.corpora import deletion


def remove_originals() -> None:
    """Delete for good the drafts of which others with pseudonyms were made, where nobody wished to keep
    them. It can be repeated."""
    for draft in pseudonyms.finished():
        deletion.delete_corpus(draft)
        deletion.expire_now(draft)
