"""The products of a trace, as its calls need them: graphs and program, Variables that are made or read, generators."""
