"""What a Tensor is made of: what is known of its memory, its methods as an array, how it shows in texts."""
