"""One forward pass, understood: what ran, where its tokens stand on the picture, how its axes are read."""
