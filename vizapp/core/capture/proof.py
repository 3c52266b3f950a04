"""The self-test of a network, run once for each input size and remembered as long as the network lives."""

from vizapp.core.capture.check import Check, check, noise
from vizapp.core.memo import Memo
from vizapp.model.spec import VisionModel

_proofs: Memo[Check] = Memo()


def proof(model: VisionModel) -> Check:
    """Test `model` on noise, or take the result of an earlier test. Waits for a test that another thread is running."""
    # On noise, not on the picture at hand: whether the capture holds is a fact of the network and its input size.
    return _proofs.get(model.net, model.preprocess.size, lambda: check(model, noise(model)))


def known_proof(model: VisionModel) -> Check | None:
    """The result of an earlier test, None if there is none. Does not test."""
    return _proofs.known(model.net, model.preprocess.size)
