"""How faithfully files are read: known texts in every format, compared with what arrives."""
