"""Start the app: `python launch.py`. On a Hugging Face Space this is the `app_file`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # works from any folder, installed or not

if __name__ == "__main__":
    from vizapp.cli import main

    raise SystemExit(main(["serve", *sys.argv[1:]]))
