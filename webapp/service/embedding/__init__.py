"""Charts for pages of other sites: addresses without navigation, oEmbed, SVG and PNG files
(docs/embedding.md)."""
