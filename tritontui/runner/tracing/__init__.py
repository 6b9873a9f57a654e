"""Host code under the lockstep interpreter: its launches, looked at and asked about."""
