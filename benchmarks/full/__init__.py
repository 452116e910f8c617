"""What `make bench-full` measures besides: more peers, more shapes of work, and how cost grows with size."""
