"""`python -m treecut_tasks` is the command `treecut`."""

from treecut_tasks.cli import main

if __name__ == "__main__":
    main()
