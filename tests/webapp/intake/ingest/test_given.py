"""A bag of words that was made elsewhere: its words are taken as they are, and can be marked in
what stands for its text."""

from dataclasses import asdict

import pytest

from tasks.corpora import read_corpus
from webapp.core.documents import wording
from webapp.core.results.evidence import bow
from webapp.intake.ingest import corpora, guesses
from webapp.models import Corpus, Word
from webapp.platform.accounts import embargo

pytestmark = pytest.mark.django_db(transaction=True)


def test_words_are_as_they_were_given(tmp_path):
    vocabulary = ["x-ray", "2nd", "a", "O'Neill", "new_york", "plain"]
    lines = [f"{d} {w} {1 + (d + w) % 3}" for d in range(1, 9) for w in range(1, 7) if (d + w) % 2]
    files = {
        "docword.made.txt": f"8\n6\n{len(lines)}\n" + "\n".join(lines) + "\n",
        "vocab.made.txt": "\n".join(vocabulary) + "\n",
    }
    uploads = []
    for name, content in files.items():
        (tmp_path / name).write_text(content)
        uploads.append(corpora.ReceivedFile(name, tmp_path / name))
    corpus = corpora.create("given", uploads)
    options = asdict(guesses.sniff(corpus).options)
    assert options["given"]
    corpora.read(corpus, corpora.ReadingSettings(options=options, min_documents=1, max_share=1.0))
    read_corpus(corpus.pk)
    corpus = Corpus.objects.select_related("version").get(pk=corpus.pk)
    assert corpus.status == "ready", corpus.error
    assert set(Word.objects.filter(version=corpus.version).values_list("word", flat=True)) == set(
        vocabulary
    )
    assert (
        corpus.tokens
        == sum(int(line.split()[2]) for line in lines)
        == bow(corpus.version_id).tokens
    )
    text = embargo.read_part(corpus, 0, 0).text
    assert [text[a:b] for a, b, word in wording.terms(corpus.version, [text])[0]] == text.split()
