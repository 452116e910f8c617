"""The parts of a trace besides its nodes: scopes, arrays and variables from outside, how lines were staged."""
