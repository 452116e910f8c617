"""The process that builds native code for this one: how it is started, asked and ended."""
