"""Tests of the lower room."""
