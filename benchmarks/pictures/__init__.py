"""The pictures of the README, and what takes them."""
