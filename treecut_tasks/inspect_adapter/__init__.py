"""TreeCut for Inspect: thin conversions between `treecut_tasks.evaluation` and Inspect's types."""
