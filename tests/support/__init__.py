"""What the acceptance tests stand on: a fake model server and a workspace builder."""
