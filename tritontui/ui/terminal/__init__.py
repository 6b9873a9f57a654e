"""The terminal itself: what is shown, who has it, and ends that come from it."""
