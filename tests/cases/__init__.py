"""Black-box tests: the program is started as a process and judged by what comes out."""
