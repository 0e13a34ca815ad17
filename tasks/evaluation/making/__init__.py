"""Questions made by rule from the texts of a corpus itself, one kind a module."""
