"""Forms: how a corpus is read, and what a run is trained with. Each field says in a line what it does."""

from dataclasses import asdict
from dataclasses import fields as dataclass_fields

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS

from inference import engines
from inference.engines.settings import Setting
from inference.errors import Invalid
from inference.text import LANGUAGES
from webapp import readers
from webapp.ingest import corpora as services
from webapp.ingest.corpora import Reading
from webapp.ingest.versions import Words
from webapp.models import Corpus, Run, Version

ALL = 0.9  # of the letters must be in a language for a corpus that is called of that language
SAID = 0.03  # a language with less of the letters is rather a mistake
KINDS_SHOWN = 64  # columns whose kind can be changed: as many are kept (webapp.readers.model.MAX_FIELDS)
MAX_STOP_WORDS = 10_000
OFFERED = 50  # versions of a corpus to train on
ENCODINGS = [
    ("utf-8", "UTF-8"), ("detect", "each file’s own, found anew"), ("utf-16", "UTF-16"), ("utf-32", "UTF-32"),
    ("cp1252", "Western, Windows (cp1252)"), ("iso8859-15", "Western, ISO 8859-15"), ("mac_roman", "Western, old Macintosh"),
    ("cp850", "Western, DOS (cp850)"), ("cp437", "American, DOS (cp437)"), ("iso8859-14", "Celtic, ISO 8859-14"),
    ("cp1250", "Central European, Windows (cp1250)"), ("iso8859-2", "Central European, ISO 8859-2"), ("iso8859-16", "Romanian, ISO 8859-16"),
    ("mac_latin2", "Central European, old Macintosh"), ("cp852", "Central European, DOS (cp852)"), ("iso8859-3", "Esperanto and Maltese, ISO 8859-3"),
    ("cp1251", "Cyrillic, Windows (cp1251)"), ("koi8-r", "Russian, KOI8-R"), ("koi8-u", "Ukrainian, KOI8-U"), ("iso8859-5", "Cyrillic, ISO 8859-5"),
    ("cp866", "Cyrillic, DOS (cp866)"), ("mac_cyrillic", "Cyrillic, old Macintosh"), ("cp1253", "Greek, Windows (cp1253)"),
    ("iso8859-7", "Greek, ISO 8859-7"), ("cp1254", "Turkish, Windows (cp1254)"), ("cp1255", "Hebrew, Windows (cp1255)"),
    ("cp1256", "Arabic, Windows (cp1256)"), ("iso8859-6", "Arabic, ISO 8859-6"), ("cp1257", "Baltic, Windows (cp1257)"),
    ("iso8859-13", "Baltic, ISO 8859-13"), ("iso8859-4", "Baltic, ISO 8859-4"), ("cp1258", "Vietnamese, Windows (cp1258)"),
    ("cp874", "Thai, Windows (cp874)"), ("cp932", "Japanese, Shift-JIS"), ("euc_jp", "Japanese, EUC-JP"), ("iso2022_jp", "Japanese, ISO-2022-JP"),
    ("gb18030", "Chinese, GB18030"), ("big5hkscs", "Chinese, Big5"), ("hz", "Chinese, HZ"), ("cp949", "Korean, EUC-KR"),
    ("iso2022_kr", "Korean, ISO-2022-KR"), ("johab", "Korean, Johab"),
]  # fmt: skip
ENCODING_NAMES = dict(ENCODINGS) | {"utf-8-sig": "UTF-8"}
ORDERS = [("dmy", "day/month/year", "12 March 1999"), ("mdy", "month/day/year", "3 December 1999")]
KINDS = [
    ("category", "category: few values, shared by documents"),
    ("number", "number"),
    ("date", "date"),
    ("text", "text: kept, not counted"),
]
DELIMITERS = [(",", "comma"), ("\t", "tab"), (";", "semicolon"), ("|", "vertical bar")]


class Several(forms.Field):
    """Words, each a value of its own."""

    widget = forms.MultipleHiddenInput

    def clean(self, value) -> list[str]:
        words = {word.strip().lower() for word in value or [] if word.strip()}
        if len(words) > MAX_STOP_WORDS or max(map(len, words), default=0) > 200:
            raise forms.ValidationError(
                f"Give at most {MAX_STOP_WORDS:,} words of at most 200 letters; these are {len(words):,}."
            )
        return sorted(words)


class WordsForm(forms.Form):
    """Which words of a corpus count: ingest.versions.Words. kept_words has no widget of its own: it stands beside the preview."""

    language = forms.ChoiceField(
        required=False,
        label="Language",
        help_text="Its stop words (in English “the”, “of” and the like) are left out, and search knows its forms.",
    )
    also = forms.MultipleChoiceField(required=False, label="Stop words of other languages")
    min_documents = forms.IntegerField(
        min_value=1, max_value=1_000_000, label="Leave out words in fewer documents than",
        help_text="Rare words, typing errors among them, teach a model little.",
    )  # fmt: skip
    max_share = forms.FloatField(
        min_value=0, max_value=100, label="Leave out words in more than this per cent of documents",
        help_text="Words that are everywhere tell no topic from another. 100 keeps them all.",
    )  # fmt: skip
    extra_stop_words = forms.CharField(
        required=False, widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}), max_length=200_000,
        label="More stop words", help_text="Your own words to leave out, separated by spaces, commas or lines.",
    )  # fmt: skip
    kept_words = Several(required=False)
    min_length = forms.IntegerField(
        min_value=1, max_value=20, label="Shortest word, in letters", help_text="Shorter ones are left out."
    )
    numbers = forms.BooleanField(
        required=False, label="Numbers count", help_text="Years, amounts, “2nd”: all that begins with a digit."
    )
    hyphens = forms.ChoiceField(
        choices=[("split", "part words: well · known"), ("join", "join words: well-known")],
        label="Hyphens",
        help_text="What “well-known” counts as.",
    )
    apostrophes = forms.ChoiceField(
        choices=[("split", "part words: l · homme"), ("join", "join words: l’homme")],
        label="Apostrophes",
        help_text="What “l’homme” counts as.",
    )
    phrases = forms.CharField(
        required=False, widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}), max_length=200_000,
        label="Phrases that count as one word", help_text="One a line, such as “new york”.",
    )  # fmt: skip
    duplicates = forms.ChoiceField(
        choices=[("keep", "count like others"), ("exact", "don’t count where they are the same"), ("near", "don’t count where they are nearly the same")],
        label="Documents that repeat an earlier one", help_text="They stay in the collection and can be read.",
    )  # fmt: skip
    forms = forms.ChoiceField(
        choices=[("written", "as they are written"), ("lemmas", "as in a dictionary: went → go"), ("stems", "as stems: nation, nations → nation")],
        label="Words count", help_text="Joining the forms of a word helps where it has many. Not every language has both.",
    )  # fmt: skip

    def __init__(self, *args, words: Words, initial: dict | None = None, **kwargs):
        values = asdict(words) | {
            "max_share": f"{100 * words.max_share:g}",
            "extra_stop_words": " ".join(words.extra_stop_words),
            "phrases": "\n".join(words.phrases),
        }
        super().__init__(*args, initial=values | (initial or {}), **kwargs)
        languages = sorted(LANGUAGES.items(), key=lambda item: item[1])
        self.fields["language"].choices = [("", "none, or another")] + languages
        self.fields["also"].choices = languages

    def languages(self, found: dict[str, float] | None) -> dict:
        """What the page says of languages, and the other languages whose stop words can be left out. found: language -> share; none where
        that was not looked for."""
        shares = found or {}
        main, also = self["language"].value() or "", set(self["also"].value() or [])
        others = [(code, name) for code, name in self.fields["also"].choices if code != main]
        near = [(code, name) for code, name in others if code in also or shares.get(code, 0) >= SAID]
        near.sort(key=lambda one: -shares.get(one[0], 0))

        def rows(choices: list) -> list[dict]:
            return [
                {"code": code, "name": name, "share": shares.get(code, 0), "chosen": code in also}
                for code, name in choices
            ]

        return {
            "said": "" if found is None else _seems(found),
            "near": rows(near),
            "others": rows([one for one in others if one not in near]),
        }

    def clean_also(self) -> list[str]:
        return sorted(set(self.cleaned_data["also"]) - {self.cleaned_data.get("language")})

    def clean_max_share(self) -> float:
        return self.cleaned_data["max_share"] / 100

    def clean_extra_stop_words(self) -> list[str]:
        words = self.cleaned_data["extra_stop_words"].replace(",", " ").lower().split()
        if len(words) > MAX_STOP_WORDS:
            raise forms.ValidationError(f"Give at most {MAX_STOP_WORDS:,} words; these are {len(words):,}.")
        return sorted(set(words))

    def clean_phrases(self) -> list[str]:
        lines = [" ".join(line.lower().replace("_", " ").split()) for line in self.cleaned_data["phrases"].splitlines()]
        return list(dict.fromkeys(line for line in lines if line))

    def clean(self) -> dict:
        if not self.errors:
            try:
                self.words().choice()
            except Invalid as error:
                self.add_error(error.field if error.field in self.fields else None, error.message)
        return self.cleaned_data

    def words(self) -> Words:
        return Words(**self.chosen())

    def chosen(self) -> dict:
        """The values of Words."""
        return {field.name: self.cleaned_data[field.name] for field in dataclass_fields(Words)}

    def offer(self, words: Words) -> None:
        """Begin with other thresholds and languages than were said at first."""
        self["min_documents"].initial, self["max_share"].initial = words.min_documents, f"{100 * words.max_share:g}"
        self["language"].initial, self["also"].initial = words.language, words.also

    def sent(self) -> dict:
        """What a browser would send of a form that was not touched."""
        values = {name: self[name].value() for name in self.fields}
        return {
            name: value for name, value in values.items() if value is not None and value is not False
        }  # the first column is 0


class VocabularyForm(WordsForm):
    """Which words of a corpus count, and its name."""

    name = forms.CharField(max_length=200, label="Name of the corpus")

    def __init__(self, *args, name: str, reading: Reading, initial: dict | None = None, **kwargs):
        super().__init__(*args, words=reading, initial={"name": name} | (initial or {}), **kwargs)

    def with_options(self, options: dict) -> Reading:
        """options: how files are read, webapp.readers.Options as a dict."""
        return Reading(options=options, **self.chosen())


class ReadingForm(VocabularyForm):
    """How a corpus is read. Fields that its format does not have are left out."""

    text = forms.TypedChoiceField(coerce=int, label="Text", help_text="The column that holds the documents’ text.")
    title = forms.TypedChoiceField(coerce=int, empty_value=None, required=False, label="Title")
    date = forms.TypedChoiceField(
        coerce=int,
        empty_value=None,
        required=False,
        label="Date",
        help_text="A year, a month or a day, in any usual form.",
    )
    date_order = forms.ChoiceField(
        required=False, label="12/3/1999 is", help_text="What the numbers of such dates mean.",
        choices=[("", "not known: such dates are left out"), *((order, f"{words}: {said}") for order, words, said in ORDERS)],
    )  # fmt: skip
    id = forms.TypedChoiceField(
        coerce=int,
        empty_value=None,
        required=False,
        label="Id",
        help_text="Your own identifier; it stands in every export.",
    )
    sheet = forms.ChoiceField(label="Sheet", help_text="Of the spreadsheet. The others are not read.")
    header = forms.BooleanField(
        required=False, label="The first row holds the names of the columns", help_text="Otherwise it is a document."
    )
    delimiter = forms.ChoiceField(choices=DELIMITERS, label="Columns are separated by", help_text="In the file itself.")
    encoding = forms.ChoiceField(label="Encoding", help_text="Change it where the preview shows wrong letters.")

    def __init__(self, *args, corpus: Corpus, sniff: readers.Sniff, **kwargs):
        language, _ = services.language(sniff)
        reading = Reading(**corpus.settings) if corpus.settings else Reading(language=language)
        options = sniff.options
        initial = {
            "encoding": options.encoding, "sheet": options.sheet or next(iter(sniff.sheets), ""), "header": options.header, "delimiter": options.delimiter or ",",
            "text": options.text, "title": options.title, "date": options.date, "id": options.id, "date_order": options.date_order,
        }  # fmt: skip
        super().__init__(*args, name=corpus.name, reading=reading, initial=initial, **kwargs)
        self.options, self.sniff = options, sniff
        known = dict(ENCODINGS)
        guess = sniff.options.encoding
        self.fields["encoding"].choices = ENCODINGS if guess in known else [(guess, guess), *ENCODINGS]
        columns = list(enumerate(sniff.columns))
        if not columns:
            for name in ("text", "title", "date", "id", "date_order"):
                del self.fields[name]
        else:
            self.fields["text"].choices = columns
            for i, name in columns[:KINDS_SHOWN]:
                field = forms.ChoiceField(
                    choices=KINDS, required=False, label=name, initial=options.kinds.get(name, "category")
                )
                self.fields[f"kind_{i}"] = field
            for name in ("title", "date", "id"):
                self.fields[name].choices = [("", "none"), *columns]
            if not self["date_order"].value() and not self._two_ways():
                del self.fields["date_order"]
        if sniff.sheets:
            self.fields["sheet"].choices = [(sheet, sheet) for sheet in sniff.sheets]
        else:
            del self.fields["sheet"]
        if options.delimiter is None:
            del self.fields["delimiter"]
            if not sniff.sheets:
                del self.fields["header"]
        if not readers.formats.encoded(options):
            del self.fields["encoding"]
        if services.keeps_columns(corpus):
            for name in ("encoding", "sheet", "header", "delimiter"):
                self.fields.pop(name, None)

    @property
    def kinds(self) -> list:
        """What each column holds that has no role: fields of this form."""
        roles = {str(self[role].value()) for role in ("text", "title", "date", "id") if role in self.fields}
        return [self[name] for name in self.fields if name.startswith("kind_") and name[5:] not in roles]

    def _two_ways(self) -> bool:
        """Whether the first rows have a date such as 12/3/1999 in a column that is chosen for dates."""
        places = {i for i in range(len(self.sniff.columns)) if str(self["date"].value()) == str(i)}
        places |= {int(name[5:]) for name in self.fields if name.startswith("kind_") and self[name].value() == "date"}
        return readers.dates.ambiguous(row[i] for row in self.sniff.rows for i in places if i < len(row))

    def clean(self) -> dict:
        chosen = [self.cleaned_data.get(name) for name in ("text", "title", "id")]
        chosen = [column for column in chosen if column is not None]
        if len(set(chosen)) < len(chosen):
            self.add_error("text", "Text, title and id must be different columns.")
        return super().clean()

    def reading(self) -> Reading:
        values = self.cleaned_data
        options = {name: getattr(self.options, name) for name in self.options.__dataclass_fields__}
        options |= {name: values[name] for name in options.keys() & values.keys()}
        chosen = {
            self.sniff.columns[int(name[5:])]: kind
            for name, kind in values.items()
            if name.startswith("kind_") and kind
        }
        options["kinds"] = options["kinds"] | chosen
        return self.with_options(options)


class AddingForm(ReadingForm):
    """How files are read that are added to a corpus: which words count is chosen already."""

    def __init__(self, *args, corpus: Corpus, **kwargs):
        super().__init__(*args, corpus=corpus, **kwargs)
        self.before = Words.of(corpus.settings)
        for name in ("name", *(field.name for field in dataclass_fields(Words))):
            del self.fields[name]

    def chosen(self) -> dict:
        return asdict(self.before)


def _seems(found: dict[str, float]) -> str:
    said = [(LANGUAGES[code], share) for code, share in found.items() if share >= SAID]
    if not said:
        return "Which language it is can’t be told."
    if len(said) == 1:
        return f"It seems to be {said[0][0]}." if said[0][1] > ALL else f"Most of it seems to be {said[0][0]}."
    return f"It seems to be in several languages: {', '.join(f'{name} {100 * share:.0f}%' for name, share in said)}."


class TrainForm(forms.Form):
    """Settings of a run: the fields are the engine's own (inference.engines.fields), so that it alone describes them.

    engine: whose settings; by default the one that was posted, else the default. Raises Invalid where there is none of that name.
    """

    COMMON = ("engine", "topics", "seed", "version")  # fields that are not of one engine, or stand above all others

    def __init__(self, *args, corpus: Corpus, engine: str = "", **kwargs):
        super().__init__(*args, **kwargs)
        self.corpus = corpus
        self.engine = engine or self.data.get("engine") or engines.DEFAULT
        self.engines = [
            {"name": name, "label": known.LABEL, "help": known.HELP, "chosen": name == self.engine}
            for name, known in engines.ENGINES.items()
        ]
        self.suggested = suggested = min(engines.suggest_topics(corpus.documents), max(1, corpus.vocabulary))
        chosen = engines.config(self.engine, topics=suggested).resolve(corpus.documents, corpus.tokens)
        self.fields["engine"] = forms.CharField(widget=forms.HiddenInput, initial=self.engine, required=False)
        for setting in engines.fields(self.engine):
            self.fields[setting.name] = _of_setting(setting, getattr(chosen, setting.name), suggested)
        self.fields[
            "topics"
        ].help_text += (
            f" For {corpus.documents:,} documents {suggested} is a number to begin with; try half and twice as many."
        )
        self.fields["seed"] = forms.IntegerField(
            label="Seed",
            initial=0,
            help_text="The same seed, settings and corpus give the same topics; another seed gives others.",
        )
        versions = list(corpus.versions.filter(status=Version.Status.READY).order_by("-number")[:OFFERED])
        if len(versions) > 1:
            choices = [
                (v.pk, f"{v.number}: {v.documents:,} documents, {v.vocabulary:,} different words") for v in versions
            ]
            self.fields["version"] = forms.TypedChoiceField(
                coerce=int,
                label="Version of the words",
                choices=choices,
                initial=corpus.version_id,
                required=False,
                empty_value=corpus.version_id,
            )

    @property
    def advanced(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in self.COMMON]

    @property
    def advanced_errors(self) -> bool:
        return bool(self.errors.keys() - {*self.COMMON, NON_FIELD_ERRORS})

    def clean(self) -> dict:
        """The engine's own checks become errors of the fields; what was posted for another engine is one of the whole form."""
        if not self.errors:
            try:
                engines.config(self.engine, **self._settings(), **self._strange())
            except Invalid as error:
                self.add_error(error.field if error.field in self.fields else None, error.message)
        return self.cleaned_data

    def _settings(self) -> dict:
        return {name: self.cleaned_data.get(name) for name in self.fields if name not in ("engine", "seed", "version")}

    def _strange(self) -> dict:
        """Settings that were posted, and that only other engines have."""
        others = {setting.name for name in engines.ENGINES for setting in engines.fields(name)} - self.fields.keys()
        return {name: self.data[name] for name in others if self.data.get(name)}

    def settings(self) -> dict:
        """For services.runs.create."""
        return self._settings() | {"engine": self.engine, "seed": self.cleaned_data["seed"]}

    def chosen_version(self) -> Version:
        """That is trained on: the newest, if no other was chosen."""
        chosen = self.cleaned_data.get("version", self.corpus.version_id)
        return self.corpus.version if chosen == self.corpus.version_id else self.corpus.versions.get(pk=chosen)


def _of_setting(setting: Setting, chosen: object, topics: int) -> forms.Field:
    """The field for an engine's setting. chosen: its value where it is left open, shown in grey; topics: the number to begin with."""
    initial = topics if setting.name == "topics" else setting.default
    common = {"label": setting.label, "help_text": setting.help, "initial": initial, "required": initial is not None}
    if setting.choices:
        made = forms.ChoiceField(choices=[(choice, choice) for choice in setting.choices], **common)
    elif setting.type is int:
        made = forms.IntegerField(**common)
    else:
        made = forms.FloatField(**common)
        made.widget.attrs["step"] = "any"
    if initial is None:
        made.widget.attrs["placeholder"] = f"{chosen:g}"
    made.symbol, made.default = setting.symbol, "" if setting.name == "topics" or initial is None else str(initial)
    return made


def described(run: Run) -> list[tuple[str, str, str, str]]:
    """A run's settings as (name, label, symbol, value), for its page."""
    fields = [f for f in engines.fields(run.engine) if f.name in run.settings]  # a run of an older version lacks some
    values = [(f.name, f.label, f.symbol, str(run.settings[f.name])) for f in fields]
    return [("engine", "Engine", "", engines.get(run.engine).LABEL), *values, ("seed", "Seed", "", str(run.seed))]
