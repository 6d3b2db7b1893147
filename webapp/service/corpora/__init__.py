"""A corpus on its pages: home, detail, files, versions, deletion."""
