"""What paths are judged by. The priors of several trades are data: see docs/priors.md."""
