"""What an address says that an export is made of is written as it was read."""

from dataclasses import fields

import pytest
from django.http import QueryDict

from webapp.service.exports.catalogue import EXPORT_KINDS
from webapp.service.exports.export_query import ASKED_FIELDS, read_source, write_query
from webapp.service.exports.tables import ExportSource

pytestmark = pytest.mark.django_db
EVERY_FIELD = "q=war&from=1790&topics=3,1&words=7&by=party&families=4&word=peace&pattern=the+war"
NOT_OF_THE_QUERY = {"run", "deposit"}  # of the path; of a form of its own


def test_every_field_is_read_and_written():
    declared = {field.name for field in fields(ExportSource)}
    assert set(ASKED_FIELDS) == declared - NOT_OF_THE_QUERY


def test_an_address_has_the_order_by_which_files_were_kept(trained):
    """In another order a file that was asked for before would be made once more."""
    source = read_source(trained, QueryDict(EVERY_FIELD))
    parameters = [name for asked in ASKED_FIELDS.values() for name, _ in asked.write(source)]
    assert parameters == ["q", "from", "topics", "words", "by", "families", "word", "pattern"]


def test_the_example_has_another_value_of_every_field(trained):
    source = read_source(trained, QueryDict(EVERY_FIELD))
    usual = read_source(trained, QueryDict())
    for name, asked in ASKED_FIELDS.items():
        assert asked.write(source) != asked.write(usual), name


@pytest.mark.parametrize("name", EXPORT_KINDS)
def test_what_is_written_is_read_again(trained, name):
    kind = EXPORT_KINDS[name]
    source = read_source(trained, QueryDict(EVERY_FIELD))
    again = read_source(trained, QueryDict(write_query(kind, source)))
    usual = read_source(trained, QueryDict())
    for field, asked in ASKED_FIELDS.items():
        expected = source if field in kind.options else usual
        assert asked.write(again) == asked.write(expected)


@pytest.mark.parametrize("name", [name for name, kind in EXPORT_KINDS.items() if kind.table])
def test_a_table_depends_on_its_options_alone(trained, name):
    """Else two addresses that differ would be taken for one file."""
    kind = EXPORT_KINDS[name]
    assert kind.options <= ASKED_FIELDS.keys()
    assert ("by" in kind.options) == (kind.choices is not None)
    read = set()

    class Watched(ExportSource):
        def __getattribute__(self, field: str) -> object:
            read.add(field)
            return super().__getattribute__(field)

    source = read_source(trained, QueryDict("word=peace&by=party"))
    table = kind.table(Watched(**vars(source)))
    for _ in table.blocks:
        pass
    # Of `selection` all take the view of the run, with labels
    assert read & ASKED_FIELDS.keys() - {"selection"} <= kind.options
    assert kind.options - {"selection", "pattern", "topics"} <= read
