"""What the team decided once: its currency, its cost assumptions, how plans are approved."""

from planner.models import TeamSettings


def team_settings() -> TeamSettings:
    """The one row, or what it would say before anybody decided anything. One query."""
    found = TeamSettings.objects.select_related("updated_by").filter(pk=1).first()
    return found or TeamSettings(pk=1)
