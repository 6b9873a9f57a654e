"""The stages of a judged run, a module each: a function of the ``Run``, in which it leaves what later ones need."""
