"""``python -m fedbounds``: the same as the command."""

from fedbounds.verify.commands.command_line import main

if __name__ == "__main__":
    main()
