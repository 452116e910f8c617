"""What a loop carries from round to round, and what is left of it after the loop."""
