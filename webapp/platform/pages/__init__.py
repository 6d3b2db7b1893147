"""What all pages share: page and JSON, errors, links, glossary."""
