"""The derivatives of ops that take more than two lines: a file for each family, named in the blocks of its ops."""
