"""Each method beside its reference: python -m bench.references, which writes docs/references.json and docs/methods.md.

A reference is a formula of a paper, or what its authors' code computes, written line by line, slowly, on whole matrices that
autograd itself gives, in float64. Nothing is copied, and nothing of vizapp's own signals is used. Where a row is that of a
paper, r must be 1; where it is that of some code, r says how far that code is from what is shown here, and `about` why.
"""

from bench.references.seen import Picture, Reference, reference, references

__all__ = ["Picture", "Reference", "reference", "references"]
