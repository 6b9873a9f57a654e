"""What is wrong with a launch: each module asks one question of its trace and answers in findings."""
