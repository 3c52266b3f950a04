"""Signals that methods need beyond attention: gradients, values, relevance, the blocks of a network, its readout."""
