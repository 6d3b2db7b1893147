"""Charts and marks that the server draws, and how numbers are written."""
