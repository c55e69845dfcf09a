"""Data by the million: the bulk stream, its formats, and sets of files on one machine or many."""
