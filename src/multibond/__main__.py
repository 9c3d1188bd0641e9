"""`python -m multibond`: the same as the command `multibond`."""

from multibond.cli import main

if __name__ == "__main__":
    main()
