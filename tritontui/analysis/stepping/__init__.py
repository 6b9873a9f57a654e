"""What the step view asks: one program's way through a recorded launch."""
