"""What a trace keeps besides its nodes: scopes, arrays and variables from outside, how lines were staged."""
