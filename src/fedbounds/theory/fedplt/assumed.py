"""Names of what this paper assumes; what a problem answers itself is in `fedbounds.facts`."""

# W* is the minimiser of the global objective
GLOBAL_GRADIENT = "bounded global gradient"  # at the iterates
LOCAL_GRADIENTS = "bounded client gradients"  # at the iterates
ALIGNED = "positive masked alignment"
ALIGNED_EVERYWHERE = "positive masked alignment on all of R^d"
ALIGNED_OPEN = "positive masked alignment on an open set that contains the iterates"
ALIGNED_COMPENSATED = "alignment of the compensated masked gradient"
ACUTE = "angles of both gradients with W - W* below 90 degrees"
OBTUSE = "angles of both gradients with W - W* above 90 degrees"
EQUAL_ATTENUATION = "equal attenuation"  # alpha of all clients, as min(1, sqrt(d r)) has it
SINGLE_STEP = "one local step per round"
VIRTUAL = "t counts local steps, with virtual aggregation at each"

# what an instance is like
LEAVES_OUT = "a mask that leaves out a coordinate"
FULL_MASKS = "full masks"
EQUAL_MASKS = "equal masks"
OWN_MINIMISERS = "clients with minimisers of their own"

# displays, taken as given: the step size of round t is constant, 1/(z(t+1)) or 2/(z(t+2))
RECURSION = "recursion of the squared distance"
RECURSION_DECAYING = "recursion of the squared distance, steps 1/(z(t+1))"
RECURSION_LONGER = "recursion of the squared distance, steps 2/(z(t+2))"
DECAYING_STEPS = "steps 1/(z(t+1))"
STAYS = "a mean model that stays where it starts"
