"""What an owner of a corpus sees of those who read its texts: the record of reading
(docs/reading-record.md)."""
