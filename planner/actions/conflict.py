"""What a write meets when somebody else was faster."""

from django.db.models import Model


class ConflictError(Exception):
    """The row changed since it was read. `current` is how it stands now; nothing was written."""

    def __init__(self, current: Model) -> None:
        super().__init__(f"{current} is at revision {current.revision} now")  # type: ignore[attr-defined]
        self.current = current
