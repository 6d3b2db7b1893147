"""Forms whose values the schema of what comes in checks, as it checks what programs and commands
ask for: the form shows fields, and says at each what is wrong with it."""

from collections.abc import Collection, Mapping
from typing import Any

from annotated_types import Ge, Le, MaxLen
from django import forms

from inference.errors import Invalid
from webapp.platform.received import LONGEST_NAME, Received, no_field, not_offered


class Sent(forms.Field):
    """A field that takes what was sent as it is."""

    def clean(self, value: Any) -> Any:
        return "" if value is None else value


class SentWhole(Sent, forms.IntegerField):
    """A whole number."""


class SentNumber(Sent, forms.FloatField):
    """A number."""


class SentChoice(Sent, forms.ChoiceField):
    """One of a few words."""


class SentText(Sent, forms.CharField):
    """A text."""


class SentSeveral(Sent, forms.MultipleChoiceField):
    """Some of a few words."""


class TickBox(forms.CheckboxInput):
    """One whose value is what was sent: false where nothing was."""

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> Any:
        return data.get(name, False)


class SentWords(Sent):
    """Words, of which each is sent as a value of its own."""

    widget = forms.MultipleHiddenInput


class SentBox(Sent, forms.BooleanField):
    """Ticked, or not."""

    widget = TickBox


class SentForm(forms.Form):
    def sent(self) -> dict[str, str | int | bool | list[str]]:
        """What a browser would send of a form that was not touched."""
        values = {}
        for name in self.fields:
            value = self[name].value()
            # False is a box without a tick; 0 is the first column
            if value is not None and value is not False:
                values[name] = value
        return values


class AskedForm(SentForm):
    """A form of which `schema` reads each field that it has, too. Whether a value is among the
    choices of its field, which the form alone may know, is checked here."""

    schema: type[Received]
    # Fields beside which the page says nothing: what is wrong with them is said of the whole form
    unshown: Collection[str] = ()

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        for name in self.asked_names:
            if not isinstance(field := self.fields[name], forms.ChoiceField):
                field.widget.attrs |= _bounds(self.schema, name)

    @property
    def asked_names(self) -> list[str]:
        """Fields that the schema reads, in the form's order."""
        return [name for name in self.fields if name in self.schema.model_fields]

    @property
    def refused(self) -> list[Invalid]:
        """What is wrong with a form that was sent, as programs and the command are told it."""
        if self.is_valid():
            return []
        refused = list(self._refused)
        by_schema = {error.field for error in refused}
        for name, errors in self.errors.items():
            if name not in by_schema:
                refused.append(Invalid(name, str(errors[0])))
        return refused

    def clean(self) -> None:
        self._refused: list[Invalid] = []
        for name in self.asked_names:
            try:
                self.cleaned_data[name] = self._read(name)
            except Invalid as error:
                self._refused.append(error)
                self.add_error(None if name in self.unshown else name, self._named(error))

    def _read(self, name: str) -> Any:
        """Raises Invalid."""
        value = self.schema.read_text(name, self.cleaned_data[name])
        field = self.fields[name]
        if not isinstance(field, forms.ChoiceField) or not isinstance(field.widget, forms.Select):
            return value
        offered = [str(choice) for choice, _ in field.widget.choices]
        for chosen in value if isinstance(value, list) else [value]:
            if str(chosen) not in offered:
                raise not_offered(name, str(chosen), offered)
        return value

    def check_names(self, others: Collection[str]) -> None:
        """Refuses what was sent and is no field. others: names that it may send, too."""
        known = {*self.schema.model_fields, *self.fields, *others}
        for name in self.data:
            if name not in known:
                self.add_error(None, no_field(name[:LONGEST_NAME]).message)

    def _named(self, error: Invalid) -> str:
        """The sentence, with what the page calls the field."""
        label = self.fields[error.field].label
        for name in (f"“{error.field}” ", f"{error.field} "):
            if error.message.startswith(name):
                return f"“{label}” {error.message.removeprefix(name)}"
        return error.message


def _bounds(schema: type[Received], name: str) -> dict[str, str]:
    """The bounds of a field, as a browser checks them."""
    bounds = {}
    for bound in schema.model_fields[name].metadata:
        if isinstance(bound, Ge):
            bounds["min"] = str(bound.ge)
        if isinstance(bound, Le):
            bounds["max"] = str(bound.le)
        if isinstance(bound, MaxLen) and schema.model_fields[name].annotation == str | None:
            bounds["maxlength"] = str(bound.max_length)
    return bounds
