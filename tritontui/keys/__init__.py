"""Which keys do what: the table of commands, and the learner's own ``keys.toml``. Plain data, no Textual."""
