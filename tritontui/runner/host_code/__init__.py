"""Trials of host code: wrappers, validators and benchmarks, called with what an exercise hands them."""
