"""One case of an exercise: inputs drawn, the learner's function called and watched, its output compared."""
