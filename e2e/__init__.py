"""The image and its containers, built, started and driven from outside."""
