"""Tests of plans as files and bills."""
