"""The parts of the runtime client for Python."""
