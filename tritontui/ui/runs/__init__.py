"""What is asked of the engine, and what is known of the answers, so that nothing stale is shown as current."""
