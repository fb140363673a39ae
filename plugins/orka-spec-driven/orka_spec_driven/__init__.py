"""Plans that are drafted, attacked, approved by a person, carried out and reviewed."""
