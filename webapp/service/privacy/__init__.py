"""What an owner answers a person who is in the texts, or reads them: erasure (docs/erasure.md), and
the record of reading (docs/reading-record.md)."""
