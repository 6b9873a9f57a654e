"""The access map, but for its widget: what is selected, which cells are in view, signs and words."""
