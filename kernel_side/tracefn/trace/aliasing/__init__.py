"""What shares memory with what: views, writes into arrays, arrays from outside, layouts."""
