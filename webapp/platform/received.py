"""What comes from outside, the one schema for forms, programs, commands and files: an object with
known fields, of known types, of characters and numbers that a database and a computation take. All
of them refuse the same with the same sentence.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Self, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from inference.errors import Invalid, shown

NUL = "\0"
NO_TEXT = "it has a character that no text has (NUL, or a half)"
LONGEST_NAME = 50  # characters of the name of a field that are told
# Of a whole number: no field takes one that is longer, and Python reads none of 4,301 digits
MOST_DIGITS = 20
WHOLE_NUMBER = re.compile(rf"[+-]?[0-9]{{1,{MOST_DIGITS}}}")
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?|nan|[+-]?inf(inity)?", re.I)
TYPES = frozenset({"int", "float", "str"})  # what stands after a field that may be of several types
# By pydantic's kinds of errors
EXPECTED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "string_type": "text",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
}
# What else a value must be, by pydantic's kinds of errors: with what it says of them, by its names
BOUNDS = {
    "greater_than": ("above", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("below", "lt"),
    "less_than_equal": ("at most", "le"),
}
LENGTHS = {
    "string_too_long": "must have at most {max_length:,} characters, got {length:,}",
    "string_too_short": "must have at least {min_length:,} characters, got {length:,}",
    "too_long": "must have at most {max_length:,} items, got {actual_length:,}",
    "too_short": "must have at least {min_length:,} items, got {actual_length:,}",
}
SENTENCE = "sentence"  # the kind of an error of ours that says what is wrong as a sentence does
QUOTED = re.compile("'([^']*)'")
MOST_NAMED = 12  # of the values that can be chosen: a sentence says how many more there are
# What is sent of a box: a browser sends “on”, or nothing
BOX_WORDS = {"on": True, "true": True, "off": False, "false": False}


def words_typed(text: str) -> list[str]:
    """Words with spaces, commas or lines between them, as people type them into a field."""
    return text.replace(",", " ").split()


def is_text(text: str) -> bool:
    """Whether a database takes it: without NUL, and without halves of surrogate pairs."""
    return NUL not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def is_all_text(value: Any) -> bool:
    """Whether all texts in a value of JSON are text that can be stored."""
    if isinstance(value, str):
        return is_text(value)
    if isinstance(value, dict):
        return all(is_text(str(key)) and is_all_text(item) for key, item in value.items())
    return all(map(is_all_text, value)) if isinstance(value, list) else True


class Received(BaseModel):
    """An object with no other fields than these, and of no other types: neither true nor "3" is a
    number. Not a ninja Schema, which would take its fields from whatever came, a list or a word,
    too."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _all_text(cls, value: Any) -> Any:
        if not is_all_text(value):
            raise PydanticCustomError("text", NO_TEXT)
        return value

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Self:
        """Raises Invalid with the first field that is wrong, and the sentence that programs get."""
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise refusal(error.errors()[0]) from None

    @classmethod
    def read_text(cls, name: str, sent: Any) -> Any:
        """One field as a form or a command has it: a text, several texts, or what stands for a
        ticked box. Every field must have a default. Raises Invalid."""
        return getattr(cls.read({name: cls.from_text(name, sent)}), name)

    @classmethod
    def from_text(cls, name: str, sent: Any) -> Any:
        """What a text means, of a field that is a number or a box; everything else as it came."""
        kinds = _kinds(cls.model_fields[name].annotation)
        if not isinstance(sent, str):
            return sent
        if bool in kinds:
            return BOX_WORDS.get(sent.lower(), sent)
        return number(sent) if kinds & {int, float} else sent


def _kinds(annotation: Any) -> set[Any]:
    """The types of which a field may be."""
    parts = set(get_args(annotation))
    return {annotation} | parts


def refusal(error: ErrorDetails | Mapping[str, Any]) -> Invalid:
    """Why a value can't be taken, of one of pydantic's errors."""
    # Without the place in a list, and without which of several types it was tried as
    texts = [part for part in error.get("loc", ()) if isinstance(part, str)]
    names = [part for part in texts if part not in TYPES]
    field = names[-1][:LONGEST_NAME] if names else ""
    if error["type"] == "extra_forbidden":
        return no_field(field)
    if error["type"] == SENTENCE:
        return Invalid(field, f"{error['msg']}.")
    expected = EXPECTED.get(error["type"])
    if expected is not None and TYPES & set(error["loc"]):  # it may be of several types
        expected = (
            "a finite number" if isinstance(error.get("input"), float) else "a number or text"
        )
    if "input" not in error:
        return Invalid(field, f"“{field}” can't be read: {error['msg'].rstrip('.')}.")
    context = error.get("ctx", {})
    if error["type"] in BOUNDS:
        words, bound = BOUNDS[error["type"]]
        expected = f"{words} {context[bound]:,}".removesuffix(".0")
    if error["type"] == "literal_error":
        expected = QUOTED.sub(r"“\1”", context["expected"])
    if error["type"] in LENGTHS:
        return Invalid(field, f"{field} {_length(error)}.")
    if expected is not None:
        return Invalid(field, f"{field} must be {expected}, got {shown(error['input'])}.")
    return Invalid(field, f"“{field}” can't be read: {error['msg'].rstrip('.')}.")


def _length(error: ErrorDetails | Mapping[str, Any]) -> str:
    """What a text or a list must have, and how much it has."""
    if error.get("ctx", {}).get("min_length") == 1:
        return "must not be empty"
    context = {"length": len(error["input"])} | error.get("ctx", {})
    return LENGTHS[error["type"]].format(**context)


def not_offered(name: str, value: object, offered: Sequence[str]) -> Invalid:
    """Why a value can't be taken that is none of those to choose from."""
    names = [shown(choice) for choice in offered[:MOST_NAMED]]
    more = len(offered) - len(names)
    there_are = ", ".join(names) + (f" or {more:,} others" if more else "")
    return Invalid(name, f"{name} must be one of {there_are}, got {shown(value)}.")


def no_field(name: str) -> Invalid:
    """Why a field can't be taken that there is not."""
    return Invalid(name, f"There is no field “{name}” here; leave it out.")


def number(text: str) -> int | float | str:
    """What a text of a form, a command or JSON says: a number, or the text itself where it is none.
    A whole number of more than MOST_DIGITS is a float, which no field of whole numbers takes."""
    text = text.strip()
    if WHOLE_NUMBER.fullmatch(text):
        return int(text)
    return float(text) if NUMBER.fullmatch(text) else text


def constant(name: str) -> float:
    """NaN, Infinity or -Infinity, which Python's JSON reads though the standard has none: as a
    number, which the schema refuses."""
    return math.nan if name == "NaN" else float(name)
