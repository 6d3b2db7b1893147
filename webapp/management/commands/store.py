"""manage.py store: say what is in the store of sealed files, and whether it is whole."""

import time

from django.conf import settings
from django.core.management.base import CommandError
from django.db.models import Count, Sum

from webapp.management.base import OwnCommand
from webapp.models import Sealed
from webapp.platform.storage import bulk, copies, sealed
from webapp.service.operations import upkeep

FILES_SHOWN = 20


class Command(OwnCommand):
    help = (
        "Say what is in the store of sealed files (docs/storage.md), and compare it with what is on"
        " record."
    )

    arguments = {
        "--mend": {
            "action": "store_true",
            "help": "remove objects that nothing names and are older than an hour",
        },
        "--read": {
            "action": "store_true",
            "help": "read all of it, and compare each file's sha256",
        },
    }

    def handle(self, *args, mend: bool, read: bool, **_):
        if not settings.STORE:
            raise CommandError(
                "There is no store: TOPOGRAPH_STORE is not set, and all files are in the state"
                " folder."
            )
        self.stdout.write(
            f"{settings.STORE}; copies here: {copies.bytes_kept():,} of {settings.STORE_CACHE:,}"
            " bytes"
        )
        by_name = Sealed.objects.values_list("kind", "name").order_by("kind", "name")
        for kind, name, objects, size in by_name.annotate(Count("pk"), Sum("size")):
            self.stdout.write(f"{kind}/*/{name}: {objects:,}, {size:,} bytes")
        try:
            wrong = list(self._wrong(mend, read))
        except sealed.StoreAway as error:
            raise CommandError(f"The store does not answer: {error}") from None
        if wrong:
            lines = ["Missing, or with other bytes than were stored:", *wrong[:FILES_SHOWN]]
            if len(wrong) > FILES_SHOWN:
                lines.append(f"… and {len(wrong) - FILES_SHOWN:,} more")
            raise CommandError("\n".join(lines))
        self.stdout.write("All that is on record is there.")

    def _wrong(self, mend: bool, read: bool):
        with bulk.removing() as may_remove:
            removes = mend and may_remove
            orphans, missing = sealed.sweep(time.time() - upkeep.LEFT, mend=removes)
        if orphans:
            result = "removed" if removes else "nothing was removed (--mend does)"
            self.stdout.write(f"{len(orphans):,} objects that nothing names: {result}")
        yield from missing
        if read:
            yield from sealed.damaged()
