"""`python -m vizapp.ui.words`: what each language owes, a line each. It ends with 1 where one owes some: a release wants none."""

import sys

from vizapp.ui.words import languages, table_of
from vizapp.ui.words._owed import gaps

owed = [f"{one}: {gap}" for one in languages() for gap in gaps(table_of(one)).owed]
print("\n".join(owed) or f"Nothing is owed: {', '.join(languages())} say everything.")
sys.exit(bool(owed))
