"""A corpus of faulty kernels, made from right ones by changes that learners make, and how each is judged."""
