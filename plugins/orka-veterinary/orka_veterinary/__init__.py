"""Vital signs, species and doses: what a veterinary workflow needs beside OrKa itself."""
