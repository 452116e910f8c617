"""Lists, dicts, sets and deques in rewritten code: the reads and changes of a call there."""
