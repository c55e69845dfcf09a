"""TreeCut."""
