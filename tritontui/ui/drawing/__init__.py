"""Drawing in characters: pure functions from figures to rows of styled text."""
