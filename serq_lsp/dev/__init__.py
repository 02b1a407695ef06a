"""The developers' tools: generated files, new rules, accepted outputs, benchmarks. Imported by nothing."""
