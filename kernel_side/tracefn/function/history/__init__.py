"""A function's memory of its traces, and its reports."""
