"""The command line, one module a group of commands; nothing heavy is imported at the top."""
