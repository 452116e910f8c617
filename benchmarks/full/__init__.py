"""The additional measurements of `make bench-full`: more peers, more shapes of work, and how cost grows with size."""
