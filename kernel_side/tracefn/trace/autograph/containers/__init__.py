"""Lists, dicts, sets and deques in rewritten code: what a call reads and changes there."""
