"""What may be said of the names that machines report."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from planner.core.matching import match
from planner.core.parse.close import close_to
from planner.core.specs import Catalog

MAX_NAME = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class NameErrors:
    """What is wrong with a mapping as it was typed."""

    name: str = ""
    accelerator: str = ""

    def __bool__(self) -> bool:
        return bool(self.name or self.accelerator)


def mapping_errors(name: str, key: str, catalog: Catalog) -> NameErrors:
    """What speaks against saying that a reported name is a card."""
    wrong_name = wrong_card = ""
    if not name or len(name) > MAX_NAME or not name.isprintable():
        wrong_name = _("The name as the tool prints it, up to %s characters.") % MAX_NAME
    else:
        found = match(catalog, name=name)
        if found.accelerator_id and found.code != "operator":
            wrong_name = _("The catalog knows this name already: it is %s, and that counts first.") % (
                catalog.accelerators[found.accelerator_id].name
            )
    if key not in catalog.accelerators:
        close = close_to(key, list(catalog.accelerators))
        wrong_card = _("The catalog has no such accelerator.")
        if close:
            wrong_card = f"{wrong_card} {_('Did you mean %s?') % close}"
    return NameErrors(name=wrong_name, accelerator=wrong_card)
