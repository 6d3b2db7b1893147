from django.apps import AppConfig


class WebappConfig(AppConfig):
    name = "webapp"
    label = "webapp"

    def ready(self):
        import tasks.celery  # noqa: F401 (the app by which webapp.jobs sends tasks)
        from webapp.accounts import adapters  # noqa: F401 (hears when an address is verified)
        from webapp.storage import checks  # noqa: F401 (is asked by commands)
