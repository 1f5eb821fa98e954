"""The model of decode: values in, values out."""

CORE_VERSION = "0.1.0"
