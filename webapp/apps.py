from django.apps import AppConfig


class WebappConfig(AppConfig):
    name = "webapp"
    label = "webapp"

    def ready(self):
        import tasks.celery  # noqa: F401 (the app by which webapp.platform.jobs sends tasks)
        from webapp.platform.accounts import (  # noqa: F401 (hears when an address is verified)
            adapters,
        )
        from webapp.platform.storage import checks  # noqa: F401 (is asked by commands)
