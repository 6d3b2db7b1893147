"""Settings of a corpus and of its versions: which words count, and how files are read. Stored as
dicts: fields keep their names."""

from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from inference.text import Rules, Spread, Stream, VocabularyChoice, stop_words, variants
from webapp.platform.typed_text import as_counted

SECTION_WORDS = 1_000  # words of a section, in which long documents are read
SMALL_CORPUS_DOCUMENTS = 20  # documents below which a word of a single one counts


@dataclass(frozen=True)
class VocabularySettings(Rules):
    """Which words of a corpus count: kept on a version as a dict."""

    # Of new versions; those that were made before keep what they have
    apostrophes: str = field(default="clitics", kw_only=True)
    also: list[str] = field(default_factory=list)  # languages whose stop words are left out, too
    section_words: int = SECTION_WORDS  # 0: documents are read in one piece
    extra_stop_words: list[str] = field(default_factory=list)
    # Words that count although they are stop words of the language, or too common or spread evenly
    kept_words: list[str] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)
    variants: bool = True  # whether writings of one word count as one: co-operation, cooperation
    # Writings that count for themselves nevertheless
    apart: list[str] = field(default_factory=list)
    # Writings that the texts have, and the words that they count as
    alike: list[list[str]] = field(default_factory=list)

    @classmethod
    def from_dict(cls, settings: dict) -> Self:
        """The settings of a version, or of a corpus, which hold more; those of an older version
        lack some, and mean what they meant."""
        older: dict[str, Any] = (
            {
                "spread_evenly": True,
                "section_words": 0,
                "variants": False,
                "apostrophes": "split",
            }
            if "max_share" in settings
            else {}
        )
        return cls(**older | {f.name: settings[f.name] for f in fields(cls) if f.name in settings})

    def fitted(self, documents: int) -> Self:
        """With a least number of documents that grows with the collection: 2 of 341, 5 of 8,000, 25
        of a million."""
        return replace(
            self,
            min_documents=max(
                1 if documents < SMALL_CORPUS_DOCUMENTS else 2, round(documents ** (1 / 3) / 4)
            ),
        )

    def alike_in(self, stream: Stream | Spread, are_tokens: bool):
        """With the writings that count alike in some texts; none where words are given as they
        are."""
        pairs = variants.find(stream, self.language) if self.variants and not are_tokens else []
        return replace(self, alike=[list(pair) for pair in pairs])

    def stop_words(self) -> set[str]:
        """The stop words of its languages, and one's own; those that count nevertheless are among
        them."""
        return {word.lower() for word in self.extra_stop_words}.union(
            *map(stop_words, (self.language, *self.also))
        )

    def choice(self) -> VocabularyChoice:
        """Raises Invalid, naming the field, for a value that can't be."""
        kept_words = frozenset(map(as_counted, self.kept_words))
        left_out = [word for word in self.stop_words() if as_counted(word) not in kept_words]
        # Words that were given as they are have the apostrophes that were typed
        as_typed = frozenset(word.lower() for word in self.kept_words)
        return VocabularyChoice(
            stop_words=frozenset(left_out),
            kept=kept_words | as_typed,
            sections=self.section_words,
            phrases=tuple(self.phrases),
            variants=tuple(
                (written, word) for written, word in self.alike if written not in self.apart
            ),
            **{rule.name: getattr(self, rule.name) for rule in fields(Rules)},
        )


@dataclass(frozen=True)
class ReadingSettings(VocabularySettings):
    """How a corpus is read, and which of its words count at first: the form's values, kept on the
    corpus as a dict."""

    options: dict = field(default_factory=dict)  # webapp.intake.file_formats.Options as a dict
    shaping: dict = field(default_factory=dict)  # webapp.intake.ingest.shaping.Shaping as a dict
    # Of each addition of files: {"first": the position of its first file, "options", "shaping"}.
    added: list = field(default_factory=list)
    # How the same files were read elsewhere: accounts.embargo.columns_read
    before: list = field(default_factory=list)
