"""The second door: where tokens stand on the picture, and how a call's axes are laid on its patches."""
