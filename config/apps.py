from django.apps import AppConfig


class ProjectConfig(AppConfig):
    """The project itself, as an app: it owns the commands that set an installation up, and binds the ports."""

    name = "config"

    def ready(self) -> None:
        from config.wiring import bind_ports

        bind_ports()
