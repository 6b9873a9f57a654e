"""What works on this machine: the facts behind `tritontui doctor`."""
