"""What is said in one line or a few blocks, as pure functions of what is known."""
