"""What a request says about the machine itself: a power cap or mode, and the memory it really has."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from planner.core.parse.fields import Reader
from planner.core.power import PowerSetting, in_mode, lowest_limit_w, mode_names, under_limit
from planner.core.specs import AcceleratorSpec, Provenance

POWER_FIELDS = frozenset({"power_limit_w", "power_mode"})
MAX_WATTS = 100_000.0
MAX_HOST_GIB = 1_000_000.0


def read_power(
    reader: Reader, obj: Mapping[str, Any], accelerator: AcceleratorSpec | None, table: Mapping[str, Any]
) -> PowerSetting | None:
    """The power mode or the cap in W per accelerator that a request asks for, None where it asks for neither."""
    mode, limit = obj.get("power_mode"), obj.get("power_limit_w")
    if mode is None and limit is None:
        return None
    field = "power_mode" if mode is not None else "power_limit_w"
    if mode is not None and limit is not None:
        reader.refuse("power_mode_or_limit", field)
        return None
    if accelerator is None:
        reader.refuse("power_needs_accelerator", field)
        return None
    if mode is not None:
        return _read_mode(reader, mode, accelerator, table)
    return _read_limit(reader, limit, accelerator, table)


def _read_mode(
    reader: Reader, value: Any, accelerator: AcceleratorSpec, table: Mapping[str, Any]
) -> PowerSetting | None:
    name = reader.text(value, "power_mode")
    if name is None:
        return None
    known = mode_names(table, accelerator)
    if not known:
        reader.refuse("no_power_modes", "power_mode", name=accelerator.name)
        return None
    # People write "15 W" and "maxn" as well
    spelt = {mode.casefold(): mode for mode in known}.get(name.replace(" ", "").casefold())
    if spelt is None:
        reader.refuse(
            "unknown_power_mode", "power_mode", found=name, name=accelerator.name, known=", ".join(known)
        )
        return None
    return in_mode(table, accelerator, spelt)


def _read_limit(
    reader: Reader, value: Any, accelerator: AcceleratorSpec, table: Mapping[str, Any]
) -> PowerSetting | None:
    watts = reader.positive(value, "power_limit_w", high=MAX_WATTS)
    if watts is None:
        return None
    setting = under_limit(table, accelerator, watts)
    if setting is None:
        lowest = lowest_limit_w(table, accelerator)
        if lowest is None:
            reader.refuse("power_unknown", "power_limit_w", name=accelerator.name)
        else:
            reader.refuse(
                "power_limit_below_known",
                "power_limit_w",
                found=watts,
                lowest=round(lowest),
                name=accelerator.name,
            )
    return setting


def shares_host_memory(accelerator: AcceleratorSpec | None) -> bool:
    """Machines whose memory is the system's, so that the asker knows how much there is."""
    return accelerator is not None and (accelerator.accelerator_class == "cpu" or accelerator.unified_memory)


def read_host_memory(
    reader: Reader, obj: Mapping[str, Any], accelerator: AcceleratorSpec | None
) -> AcceleratorSpec | None:
    """The machine with the system memory of the request, of which the same share can be used as the catalog has it."""
    given = obj.get("host_memory_gib")
    if given is None or accelerator is None or not shares_host_memory(accelerator):
        return accelerator
    installed = reader.positive(given, "host_memory_gib", high=MAX_HOST_GIB)
    if installed is None:
        return accelerator
    usable = 1.0
    if accelerator.memory_gib and accelerator.memory_gb:
        usable = accelerator.memory_gib / accelerator.memory_gb
    # Sold by the binary gigabyte: a machine of 64 GB holds 64 GiB of memory chips
    origin = Provenance(kind="computed", source="host_memory_gib of the request")
    return replace(
        accelerator,
        memory_gib=installed * usable,
        memory_gb=installed,
        memory_gib_torch=None,
        provenance={**accelerator.provenance, "memory_gib": origin, "memory_gb": origin},
    )
