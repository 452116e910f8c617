"""What Python tells of the code that is traced: its instructions, its source, and functions behind decorators."""
