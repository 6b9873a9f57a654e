"""The child as a process: its pipes and memory, what interrupts a run, the ways out, what is put back after a run."""
