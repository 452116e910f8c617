"""What a function remembers of its traces, and what it reports."""
