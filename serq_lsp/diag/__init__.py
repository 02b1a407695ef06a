"""Rules, findings, notes and fixes as data, and the renderers of findings. Imports text."""
