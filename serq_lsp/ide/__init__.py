"""Host, snapshot and one module a feature, in plain data without protocol types. Imports every room above it."""
