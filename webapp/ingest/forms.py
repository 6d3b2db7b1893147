"""The form of a run's settings. Each field says in a line what it does."""

from django import forms

from inference import engines
from inference.errors import Invalid
from webapp.models import Corpus, Run, Version

OFFERED = 50  # versions of a corpus to train on


class TrainForm(forms.Form):
    """Settings of a run: the fields are the engine's own (inference.engines.fields), so that it alone describes them."""

    def __init__(self, *args, corpus: Corpus, engine: str = "ssi", **kwargs):
        super().__init__(*args, **kwargs)
        self.suggested = suggested = min(engines.suggest_topics(corpus.documents), max(1, corpus.vocabulary))
        chosen = engines.config(engine, topics=suggested).chosen(corpus.documents, corpus.tokens)
        for field in engines.fields(engine):
            initial = suggested if field.name == "topics" else field.default
            common = {
                "label": field.label,
                "help_text": field.help,
                "initial": initial,
                "required": initial is not None,
            }
            if field.choices:
                made = forms.ChoiceField(choices=[(choice, choice) for choice in field.choices], **common)
            elif field.type is int:
                made = forms.IntegerField(**common)
            else:
                made = forms.FloatField(**common)
                made.widget.attrs["step"] = "any"
            if initial is None:
                made.widget.attrs["placeholder"] = f"{getattr(chosen, field.name):g}"
            made.symbol, made.default = field.symbol, "" if field.name == "topics" or initial is None else str(initial)
            self.fields[field.name] = made
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
        self.corpus = corpus

    @property
    def advanced_errors(self) -> bool:
        return bool(self.errors.keys() - {"topics", "seed", "version"})

    def clean(self) -> dict:
        """The engine's own checks become errors of the fields."""
        if not self.errors:
            try:
                engines.config("ssi", **{k: v for k, v in self.cleaned_data.items() if k not in ("seed", "version")})
            except Invalid as error:
                self.add_error(error.field, error.message)
        return self.cleaned_data

    def settings(self) -> dict:
        return {name: value for name, value in self.cleaned_data.items() if name != "version"}

    def chosen_version(self) -> Version:
        """That is trained on: the newest, if no other was chosen."""
        chosen = self.cleaned_data.get("version", self.corpus.version_id)
        return self.corpus.version if chosen == self.corpus.version_id else self.corpus.versions.get(pk=chosen)


def described(run: Run) -> list[tuple[str, str, str, str]]:
    """A run's settings as (name, label, symbol, value), for its page."""
    fields = [f for f in engines.fields(run.engine) if f.name in run.settings]  # a run of an older version lacks some
    values = [(f.name, f.label, f.symbol, str(run.settings[f.name])) for f in fields]
    return [*values, ("seed", "Seed", "", str(run.seed))]
