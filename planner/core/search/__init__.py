"""The search over the catalog: every set-up that makes sense for a model and a load, ranked with reasons."""
