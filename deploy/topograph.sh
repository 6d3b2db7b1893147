#!/bin/sh
# Topograph's commands on a machine where deploy/topograph.service runs it: as its user, with its settings. Installed as
# /usr/local/bin/topograph (docs/operations.md), also for cron.
set -e
set -a
. /etc/topograph.env
set +a
cd /opt/topograph
exec runuser -u topograph -- env TOPOGRAPH_ACCOUNTS=1 TOPOGRAPH_DATA=/var/lib/topograph TOPOGRAPH_KERNELS=/var/cache/topograph \
    TOPOGRAPH_ENVIRONMENT=current .venv/bin/python manage.py "$@"
