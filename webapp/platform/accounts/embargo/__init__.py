"""The only package that reads the table `document`: the texts, and the fields that came with them.
An embargo is decided here.

Whoever shows a text, or a title, gets it from a function of this package, which gives no more than
the corpus's embargo allows. So pages, their JSON, files, pins and the API can't differ. A test
reads the source: no other module names the table or its model
(tests/webapp/platform/accounts/test_embargo.py has the few that store and copy its rows, and why).

Under an embargo everything that is counted can be seen, and
- of a text passages of at most PASSAGE characters; of a section of a longer text at most a quarter
  of it (SECTION_PART);
- in a list of lines at most LINES of one document;
- of a text a quarter of its characters in all (READER_PART), whatever is asked for: each character
  that was shown is counted (`budgets.charge`), for the account that asked and for all readers of a
  link, or of what is public, together; and of a text half in all (ALL_READERS_PART) to all readers
  of a corpus, of parts of it, too. Who owns the corpus is not counted, nor is what the program
  itself reads;
- of what tells the order of words (patterns, words near a word) counts alone that are rounded, of
  no fewer than COUNT_STEP documents (`rounded`), and no set of documents (`refuse_order`), as a
  text could be read out by asking which word follows; for readers, not for the owner;
- of a field (title, id, each value of the metadata) at most PASSAGE characters; nothing of a field
  that was the text in any reading of the same files, and of none where an earlier reading cut the
  files in another way, as its columns can't be told apart then.

For whom texts are read is said once: by the middleware of a request (`read_by`), and where a worker
begins a task, or a command (`as_program`). docs/security.md says how
far all that goes.

`limits`: how much. `who_reads`: for whom. `budgets`: what was shown to whom. `rules`: what is said
and refused. `withholding`: which fields. `fields`, `texts`: what is read of the table.
"""

from webapp.platform.accounts.embargo.budgets import count_texts_read
from webapp.platform.accounts.embargo.fields import (
    AboutDocument,
    about,
    count_words,
    documents_by_id,
    numbers_with,
    values_naming,
)
from webapp.platform.accounts.embargo.limits import (
    ALL_READERS_PART,
    COUNT_STEP,
    CUT_SLACK,
    FARTHEST_CHARACTER,
    LINES,
    PAGE_CHARACTERS,
    PASSAGE,
    QUOTE,
    READER_PART,
)
from webapp.platform.accounts.embargo.rules import (
    beginning,
    most_lines,
    passage,
    refuse,
    refuse_order,
    rounded,
    sentence,
    set_embargo,
)
from webapp.platform.accounts.embargo.texts import (
    Piece,
    at_place,
    beginnings,
    located,
    note_coded,
    quotation,
    read_chosen,
    read_part,
    read_pieces,
    short_documents,
)
from webapp.platform.accounts.embargo.who_reads import (
    ALL_READERS,
    ReaderUnknown,
    as_program,
    read_by,
    readers,
    reading,
)
from webapp.platform.accounts.embargo.withholding import (
    Withheld,
    columns_read,
    inherited,
    preview,
    withheld,
)

__all__ = [
    "ALL_READERS",
    "ALL_READERS_PART",
    "AboutDocument",
    "COUNT_STEP",
    "CUT_SLACK",
    "FARTHEST_CHARACTER",
    "LINES",
    "PAGE_CHARACTERS",
    "PASSAGE",
    "Piece",
    "QUOTE",
    "READER_PART",
    "ReaderUnknown",
    "Withheld",
    "about",
    "as_program",
    "at_place",
    "beginning",
    "beginnings",
    "columns_read",
    "inherited",
    "most_lines",
    "located",
    "note_coded",
    "documents_by_id",
    "numbers_with",
    "read_part",
    "passage",
    "preview",
    "quotation",
    "read_by",
    "read_chosen",
    "read_pieces",
    "short_documents",
    "readers",
    "reading",
    "refuse",
    "refuse_order",
    "rounded",
    "sentence",
    "set_embargo",
    "count_texts_read",
    "values_naming",
    "withheld",
    "count_words",
]
