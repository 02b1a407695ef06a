"""Tests of the sema room."""
