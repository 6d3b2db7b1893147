"""What an owner answers a person who is in the texts, or reads them: pseudonyms before texts are read
(docs/pseudonyms.md), erasure (docs/erasure.md), and the record of reading (docs/reading-record.md)."""
