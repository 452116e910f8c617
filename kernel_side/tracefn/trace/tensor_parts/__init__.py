"""The parts of a Tensor: facts about its memory, its methods as an array, its form in texts."""
