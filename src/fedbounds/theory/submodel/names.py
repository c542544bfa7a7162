"""Names of what is run, as claims and plans use them."""

# nothing is run: t counts points of the domain
OBJECTIVE = ("masked objective",)
RANDOM, ROLLING, STATIC = "random masks", "rolling masks", "static masks"
DRAWS = "draws without replacement"  # m of n vectors; t counts families of vectors
COUPLED = ("coupled runs",)  # two runs on data sets that differ in one sample
# two algorithms on one problem, with the same step size, local steps, rounds and share of w
ROLLING_RANDOM = ("rolling against random masks",)
ROLLING_STATIC = ("rolling against static masks",)
RANDOM_FULL = ("random masks against full models",)
# rungs differ in one parameter, which grows
OBJECTIVE_LADDER = ("masked objective ladder in p",)
CAPACITY_LADDERS = ("random masks ladder in p", "rolling masks ladder in q")
ROUNDS_LADDERS = ("random masks ladder in R", "rolling masks ladder in R")
STEPS_LADDER = ("random masks ladder in K",)
COUPLED_LADDER = ("coupled runs ladder in p",)
