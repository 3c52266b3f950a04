"""How the bundled networks were trained: `python -m train --recipe NAME`, in a clone. Not part of the package."""
