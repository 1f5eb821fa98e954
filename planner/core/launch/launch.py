"""A launch in parts: program, flags with their reasons, surroundings. What `render` turns into text."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from planner.core.outcome import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagWords:
    """One flag as it stands in a command. `value` None: it takes none."""

    name: str
    value: str | None
    reason: Reason

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the command line."""
        return (self.name,) if self.value is None else (self.name, self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """A file that the command reads, because the engine has no flag for what it says."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """How the engine runs in a container. `devices` are host devices passed in; `gpus` are NVIDIA GPU numbers."""

    image: str
    entry_takes_model: str | None  # flag that names the model behind the entry point; None: in first place
    words: tuple[str, ...]  # program to name after the image, empty where the entry point is it
    gpus: tuple[str, ...]
    devices: tuple[str, ...]
    shares_memory: bool  # processes pass tensors through shared memory
    ulimits: bool
    port: int
    host: str | None  # address to listen on so that a published port is reached
    volumes: tuple[tuple[str, str], ...]
    named_volumes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """Everything a command line needs, whatever form it takes.

    `model_flag` names the model on the command line, None where it stands in first place. `missing` tells for a form
    that cannot be written why not.
    """

    engine: str
    version: str
    words: tuple[str, ...]
    model: str
    model_flag: str | None
    flags: tuple[FlagWords, ...]
    environment: Mapping[str, str] = field(default_factory=dict)  # set to a value
    secrets: tuple[str, ...] = ()  # passed through from the caller's environment, never written down
    config: ConfigFile | None = None
    container: Container | None = None
    notes: tuple[Reason, ...] = ()
    missing: Mapping[str, Reason] = field(default_factory=dict)
