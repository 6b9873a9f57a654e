"""Triton's compiler as a judge: what is legal for a target, what it became, and its listings."""
