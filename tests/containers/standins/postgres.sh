#!/bin/sh
# As the official image: make the folder of data once, with a server that only the socket reaches; then run the real one.
set -eu
if [ "$(id -u)" = 0 ]; then
    mkdir -p /var/run/postgresql && chown postgres /var/run/postgresql /var/lib/postgresql
    exec setpriv --reuid=postgres --regid=postgres --clear-groups sh "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    mkdir -p "$PGDATA" && chmod 700 "$PGDATA"
    printf %s "$POSTGRES_PASSWORD" > /tmp/password
    initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 \
        --locale-provider=builtin --builtin-locale=C.UTF-8
    rm /tmp/password
    echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
    printf "listen_addresses = '*'\nunix_socket_directories = '/var/run/postgresql'\n" >> "$PGDATA/postgresql.conf"
    pg_ctl -D "$PGDATA" -o "-c listen_addresses=''" -w start
    createdb --host=/var/run/postgresql --username="$POSTGRES_USER" "$POSTGRES_DB"
    sleep "${STANDIN_INIT_SECONDS:-0}"
    pg_ctl -D "$PGDATA" -m fast -w stop
fi
exec "$@"
