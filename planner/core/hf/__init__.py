"""Model shapes from a Hugging Face config.json."""
