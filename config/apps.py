from django.apps import AppConfig


class ProjectConfig(AppConfig):
    """The project itself, as an app: it owns the commands that set an installation up."""

    name = "config"
