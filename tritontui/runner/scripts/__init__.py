"""Anybody's script, run as Python would, with every launch in it traced."""
