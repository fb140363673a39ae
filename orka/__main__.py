"""`python -m orka` is the `orka` command."""

from orka.cli.main import main

if __name__ == "__main__":
    main()
