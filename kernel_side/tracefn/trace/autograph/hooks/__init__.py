"""The functions that rewritten code calls in place of statements and operators, while a function is traced."""
