"""`python -m vizapp` is `vizapp`."""

from vizapp.cli import main

raise SystemExit(main())
