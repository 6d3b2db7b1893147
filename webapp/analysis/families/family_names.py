"""What families of a run's topics may be called: of those of its tree made once and stored, of
those that readers' edits make when they are asked for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from itertools import chain
from typing import NamedTuple

import regex
import structlog
from django.db.models.functions import Length

from inference.errors import Invalid
from inference.explore.family_names import FamilyName, Term, name
from inference.explore.family_pieces import FamilyPieces
from inference.explore.naming import piece_of_name
from webapp.core.documents import corpus_unit, document_days
from webapp.core.documents.search import UNDER_EMBARGO
from webapp.core.results import evidence, family_tree
from webapp.core.results.labels import Labels
from webapp.core.results.view import RunView
from webapp.core.runs import names
from webapp.models import Corpus, Edit, Run, Snapshot, StoredResult, Topic, Word
from webapp.platform.mistakes import MISTAKES
from webapp.platform.storage.cache import BoundedCache

log = structlog.get_logger(__name__)
DIGEST = 12  # bytes, of the key of a set of topics
NO_NAME = FamilyName([], ())
Names = dict[str, FamilyName]  # by the key of a family's topics
TermsOfTopics = Mapping[int, Sequence[Term]]  # what the family of each topic may be called by

_kept_of_tree = BoundedCache(8 << 20)  # Names of a run's tree, by NamesKey
_kept_of_readers = BoundedCache(4 << 20)  # FamilyName of what readers made, by NamesKey and topics


class NamesKey(NamedTuple):
    """What the names of a run's families depend on, beside the topics of each. Whatever keeps names
    has it in its key: under an embargo, and where other fields say who speaks, other terms may be
    said, so that names are made again.

    naming: which way the run's topics are named in. speaker_fields: of corpus_unit.
    """

    snapshot_id: int
    naming: int
    is_under_embargo: bool
    speaker_fields: tuple[str, ...]


def names_key(run: Run) -> NamesKey:
    """Of a run that has topics, as it is now."""
    assert run.snapshot is not None, f"run {run.pk} has no topics yet"
    return NamesKey(
        run.snapshot.pk,
        run.snapshot.naming,
        run.corpus.embargo,
        corpus_unit.speaker_fields(run.version),
    )


def proposed(view: RunView, sets: Sequence[Sequence[int]]) -> list[FamilyName]:
    """What may stand for each of some sets of topics, and for those merged into them. Nothing for a
    run that an older program named, until it is named anew; of texts under embargo what a pattern
    may have, and nothing that names somebody who speaks."""
    if view.snapshot.naming < names.METHOD:
        return [NO_NAME] * len(sets)
    members = [with_merged(view.labels, topics) for topics in sets]
    keys = [key_of_topics(topics) for topics in members]
    key_of_run = names_key(view.run)
    names_of_keys = stored_names(view.run, key_of_run)
    of_readers = {
        key: topics for key, topics in zip(keys, members, strict=True) if key not in names_of_keys
    }
    names_of_keys = names_of_keys | _of_readers(view.run, key_of_run, of_readers)
    return [names_of_keys[key] for key in keys]


def with_merged(labels: Labels, topics: Iterable[int]) -> list[int]:
    """Topics, each followed by those that are merged into it."""
    return list(chain.from_iterable(map(labels.merged_topics, topics)))


def may_be_shown(corpus: Corpus, phrase: str) -> bool:
    """Of texts under embargo phrases have no more words than a pattern may have."""
    return not corpus.embargo or len(regex.findall(r"\w+", phrase)) <= UNDER_EMBARGO


def of_tree(run: Run, terms_of_topics: TermsOfTopics | None = None) -> Names:
    """Of all families of the tree as no reader changed it. terms_of_topics: those of new names of
    the topics; None: those that are stored."""
    unedited = Labels(run.topics, {field: {} for field in Edit.Field.values})
    of_several = [node.topics for node in family_tree.nodes(run, unedited) if len(node.topics) > 1]
    return make_names(run, of_several, terms_of_topics)


def store(key_of_run: NamesKey, names_of_tree: Names) -> None:
    """Store what `of_tree` made of a run that has this key."""
    StoredResult.objects.update_or_create(
        snapshot=Snapshot.objects.get(pk=key_of_run.snapshot_id),
        key=family_tree.NAMES,
        defaults={
            "method": key_of_run.naming,
            "data": _made_for(key_of_run) | {"names": names_of_tree},
        },
    )


def _made_for(key_of_run: NamesKey) -> dict[str, object]:
    """What a row of stored names says of its key, beside its snapshot and its method."""
    return {
        "is_under_embargo": key_of_run.is_under_embargo,
        "speaker_fields": list(key_of_run.speaker_fields),
    }


def _is_made_for(data: Mapping[str, object], key_of_run: NamesKey) -> bool:
    """Whether names that are stored are of this key. Those of an older program don't say it: without
    an embargo they are taken, as to make them again would take each run's next page a while."""
    if "is_under_embargo" not in data:
        return not key_of_run.is_under_embargo
    return all(data.get(name) == value for name, value in _made_for(key_of_run).items())


def _of_readers(run: Run, key_of_run: NamesKey, sets: dict[str, list[int]]) -> Names:
    """Of families that are not stored, by their keys: those that this process does not keep are
    made together, as the documents are looked at once for all."""
    kept = {key: _kept_of_readers.get((key_of_run, key)) for key in sets}
    unknown = [topics for key, topics in sets.items() if kept[key] is None]
    made = make_names(run, unknown) if unknown else {}
    for key, name_of_set in made.items():
        _kept_of_readers.set((key_of_run, key), name_of_set)
    return kept | made


def stored_names(run: Run, key_of_run: NamesKey) -> Names:
    """What is stored of all families of the tree; where nothing is that was made for this key, it
    is made."""
    return _kept_of_tree.get_or_set(key_of_run, partial(_read_or_make, run, key_of_run))


def _read_or_make(run: Run, key_of_run: NamesKey) -> Names:
    row = StoredResult.objects.filter(
        snapshot=key_of_run.snapshot_id, key=family_tree.NAMES, method=key_of_run.naming
    ).first()
    if row is not None and _is_made_for(row.data, key_of_run):
        return {key: _read(*stored) for key, stored in row.data["names"].items()}
    made = of_tree(run)
    store(key_of_run, made)
    return made


def _read(every_name: list[list[str]], words: list[str]) -> FamilyName:
    return FamilyName([tuple(parts) for parts in every_name], tuple(words))


def make_names(
    run: Run, sets: Sequence[Sequence[int]], terms_of_topics: TermsOfTopics | None = None
) -> Names:
    """What each of some sets of topics may be called, by `key_of_topics`. By a mistake of this
    program none has a name: no page fails for a heading. terms_of_topics: None for those that are
    stored."""
    try:
        if terms_of_topics is None:
            terms_of_topics = _stored_terms(run, set(chain.from_iterable(sets)))
        return _make_of_texts(run, sets, terms_of_topics)
    except Invalid:
        raise
    except MISTAKES as error:
        log.error("families could not be named", run=run.pk, exc_info=error)
        return {key_of_topics(topics): NO_NAME for topics in sets}


def _make_of_texts(
    run: Run, sets: Sequence[Sequence[int]], terms_of_topics: TermsOfTopics
) -> Names:
    is_sayable = sayable_rule(run)
    sayable_terms: dict[int, list[Term]] = {}
    numbers: set[int] = set()
    for k in set(chain.from_iterable(sets)):
        sayable_terms[k] = [term for term in terms_of_topics[k] if is_sayable(term.text)]
        for term in sayable_terms[k]:
            numbers.update(term.words)
    lengths = Word.objects.filter(version=run.version_id, number__in=numbers)
    evidence_of_run = evidence.of(run)
    looked = FamilyPieces(
        evidence_of_run,
        document_days.read_days(run.version),
        dict(lengths.values_list("number", Length("word"))),
        piece_of_name(evidence_of_run),
    )
    family_names = {}
    for topics in sets:
        terms = list(chain.from_iterable(sayable_terms[k] for k in topics))
        family_names[key_of_topics(topics)] = name(looked, topics, run.topics, terms)
    return family_names


def _stored_terms(run: Run, topics: Iterable[int]) -> dict[int, list[Term]]:
    stored = Topic.objects.filter(snapshot=run.snapshot_id, number__in=topics)
    terms_of_topics = {}
    for number, stored_terms in stored.values_list("number", "family_terms"):
        terms = []
        for text, words, tokens, worth in stored_terms or ():
            terms.append(Term(text, tuple(words), tokens, worth))
        terms_of_topics[number] = terms
    return terms_of_topics


def sayable_rule(run: Run) -> Callable[[str], bool]:
    """The rule whether a term may be said of a run: it names nobody who speaks, and of texts under
    embargo has no more words than a pattern may have."""
    names_somebody = corpus_unit.names_somebody(run.version)

    def is_sayable(text: str) -> bool:
        return may_be_shown(run.corpus, text) and not names_somebody(text)

    return is_sayable


def key_of_topics(topics: Iterable[int]) -> str:
    """By which the names of a set of topics are stored, in whatever order these are given."""
    text = ",".join(map(str, sorted(topics)))
    return blake2b(text.encode(), digest_size=DIGEST).hexdigest()
