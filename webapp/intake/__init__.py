"""From an uploaded file to a corpus: formats, columns, the words that count."""
