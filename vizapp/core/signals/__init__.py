"""What methods need beyond attention: gradients, values, relevance, the blocks of a network, what its classifier reads."""
