"""The search over the catalog: every set-up that makes sense for a model and a load, ranked with reasons."""

from planner.core.search.recommend import recommend

__all__ = ["recommend"]
