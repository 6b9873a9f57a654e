"""Code as text: what an editor does to it, its colours, completion."""
