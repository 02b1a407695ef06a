"""The tests: specification first (spec/, conformance/, properties/), then the house's own rules (tidy/)."""
