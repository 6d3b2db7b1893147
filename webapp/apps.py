from django.apps import AppConfig


class WebappConfig(AppConfig):
    name = "webapp"
    label = "webapp"

    def ready(self):
        from webapp import accounts  # noqa: F401 (hears when an address is verified)
