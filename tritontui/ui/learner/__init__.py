"""One learner at work: place, text, progress, history. No widgets, no event loop."""
