"""What is measured of a path: rules over what its agents declare, priors, cost and time."""
