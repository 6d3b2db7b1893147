"""What families of a run's topics may be called: of those of its tree made once and stored, of
those that readers' edits make when they are asked for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b

import regex
import structlog
from django.db.models.functions import Length

from inference.errors import Invalid
from inference.explore.family_names import FamilyName, Looked, Term, name
from webapp.core.documents import corpus_unit, document_days
from webapp.core.documents.search import UNDER_EMBARGO
from webapp.core.results import evidence, family_tree
from webapp.core.results.labels import Labels
from webapp.core.results.view import RunView
from webapp.core.runs import names
from webapp.models import Edit, Run, Snapshot, StoredResult, Topic, Word
from webapp.platform.storage.cache import BoundedCache, cached

log = structlog.get_logger(__name__)
DIGEST = 12  # bytes, of the key of a set of topics
NO_NAME = FamilyName([], ())
Names = dict[str, FamilyName]  # by the key of a family's topics
TermsOfTopics = Mapping[int, Sequence[Term]]  # what the family of each topic may be called by

# Of families that readers made, by snapshot, way of naming and topics
_made = BoundedCache(4 << 20)


def proposed(view: RunView, sets: Sequence[Sequence[int]]) -> list[FamilyName]:
    """What may stand for each of some sets of topics, and for those merged into them. Nothing for a
    run that an older program named, until it is named anew; of texts under embargo what a pattern
    may have, and nothing that names somebody who speaks."""
    if view.snapshot.naming < names.METHOD:
        return [NO_NAME] * len(sets)
    members = [[part for k in topics for part in view.labels.merged_topics(k)] for topics in sets]
    keys = [_key_of(topics) for topics in members]
    names_of_keys = _stored(view.run.pk, view.snapshot.pk, view.snapshot.naming)
    of_readers = {
        key: topics for key, topics in zip(keys, members, strict=True) if key not in names_of_keys
    }
    names_of_keys = names_of_keys | _of_readers(view, of_readers)
    is_sayable = _sayable(view.run)
    return [_only_sayable(names_of_keys[key], is_sayable) for key in keys]


def of_tree(run: Run, terms_of_topics: TermsOfTopics | None = None) -> Names:
    """Of all families of the tree as no reader changed it. terms_of_topics: those of new names of
    the topics; None: those that are stored."""
    unedited = Labels(run.topics, {field: {} for field in Edit.Field.values})
    of_several = [node.topics for node in family_tree.nodes(run, unedited) if len(node.topics) > 1]
    return _make(run, of_several, terms_of_topics)


def store(snapshot_id: int, naming: int, names_of_tree: Names) -> None:
    """Store what `of_tree` made, of topics that were named in a way."""
    StoredResult.objects.update_or_create(
        snapshot=Snapshot.objects.get(pk=snapshot_id),
        key=family_tree.NAMES,
        defaults={"method": naming, "data": names_of_tree},
    )


def _of_readers(view: RunView, sets: dict[str, list[int]]) -> Names:
    """Of families that are not stored, by their keys: those that this process does not keep are
    made together, as the documents are looked at once for all."""
    of_snapshot = view.snapshot.pk, view.snapshot.naming, view.run.corpus.embargo
    kept = {key: _made.get((*of_snapshot, key)) for key in sets}
    unknown = [topics for key, topics in sets.items() if kept[key] is None]
    made = _make(view.run, unknown) if unknown else {}
    for key, name_of_set in made.items():
        _made.set((*of_snapshot, key), name_of_set)
    return kept | made


@cached(64)
def _stored(run_id: int, snapshot_id: int, naming: int) -> Names:
    """What is stored of all families of the tree; where nothing is, it is made."""
    row = StoredResult.objects.filter(
        snapshot=snapshot_id, key=family_tree.NAMES, method=naming
    ).first()
    if row is not None:
        return {key: _read(*stored) for key, stored in row.data.items()}
    run = Run.objects.select_related("version", "corpus", "snapshot").get(pk=run_id)
    made = of_tree(run)
    store(snapshot_id, naming, made)
    return made


def _read(every_name: list[list[str]], words: list[str]) -> FamilyName:
    return FamilyName([tuple(parts) for parts in every_name], tuple(words))


def _make(
    run: Run, sets: Sequence[Sequence[int]], terms_of_topics: TermsOfTopics | None = None
) -> Names:
    """By a mistake of this program none has a name: no page fails for a heading. terms_of_topics:
    None for those that are stored."""
    try:
        if terms_of_topics is None:
            terms_of_topics = _stored_terms(run, {k for topics in sets for k in topics})
        return _make_of_texts(run, sets, terms_of_topics)
    except Invalid:
        raise
    except names.MISTAKES as error:
        log.error("families could not be named", run=run.pk, exc_info=error)
        return {_key_of(topics): NO_NAME for topics in sets}


def _make_of_texts(
    run: Run, sets: Sequence[Sequence[int]], terms_of_topics: TermsOfTopics
) -> Names:
    is_sayable = _sayable(run)
    named_topics = {k for topics in sets for k in topics}
    sayable_terms = {
        k: [term for term in terms_of_topics[k] if is_sayable(term.text)] for k in named_topics
    }
    numbers = {word for terms in sayable_terms.values() for term in terms for word in term.words}
    lengths = Word.objects.filter(version=run.version_id, number__in=numbers)
    looked = Looked(
        evidence.of(run),
        document_days.read_days(run.version),
        dict(lengths.values_list("number", Length("word"))),
    )
    return {
        _key_of(topics): name(
            looked, topics, run.topics, [term for k in topics for term in sayable_terms[k]]
        )
        for topics in sets
    }


def _stored_terms(run: Run, topics: Iterable[int]) -> dict[int, list[Term]]:
    stored = Topic.objects.filter(snapshot=run.snapshot_id, number__in=topics)
    return {
        number: [
            Term(text, tuple(words), tokens, worth) for text, words, tokens, worth in terms or ()
        ]
        for number, terms in stored.values_list("number", "family_terms")
    }


def _sayable(run: Run) -> Callable[[str], bool]:
    """Whether a term may be said: it names nobody who speaks, and of texts under embargo has no
    more words than a pattern may have."""
    names_somebody = corpus_unit.names_somebody(run.version)
    is_under_embargo = run.corpus.embargo

    def is_sayable(text: str) -> bool:
        if is_under_embargo and len(regex.findall(r"\w+", text)) > UNDER_EMBARGO:
            return False
        return not names_somebody(text)

    return is_sayable


def _only_sayable(family_name: FamilyName, is_sayable: Callable[[str], bool]) -> FamilyName:
    """Since it was stored the texts may have come under embargo, or a reader may have said who
    speaks."""
    every_name = [parts for parts in family_name.names if all(map(is_sayable, parts))]
    return FamilyName(every_name, tuple(filter(is_sayable, family_name.words)))


def _key_of(topics: Iterable[int]) -> str:
    text = ",".join(map(str, sorted(topics)))
    return blake2b(text.encode(), digest_size=DIGEST).hexdigest()
