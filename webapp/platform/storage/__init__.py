"""How data is kept: COPY into Postgres, files, memory-mapped columns, caches."""
