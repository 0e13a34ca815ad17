"""What lies on disk, and its only readers and writers."""
