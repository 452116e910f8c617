"""What a trace gives, as its calls need it: graphs and program, Variables that are made or read, generators."""
