"""Finds the patches of one analysis that swallow attention (sinks), and leaves them out."""

from collections.abc import Iterable
from dataclasses import replace

from vizapp.analysis import Analysis
from vizapp.analysis.provenance import provenance
from vizapp.core.trust.sinks import Sink, sinks, without
from vizapp.errors import VizError
from vizapp.recent import Recent


def find_sinks(seen: Analysis) -> tuple[Sink, ...]:
    """Patches of outlying norm that swallow attention (see `vizapp.core.trust.sinks`), the greediest first.

    For the first picture that a network is shown, this takes a further forward pass; for later ones none.

    Raises
    ------
    VizError
        for an analysis without its network, and if patches cannot be told apart layer by layer

    Examples
    --------
    >>> seen = vizapp.analyse("toy", "example")
    >>> without = vizapp.leave_out(seen, vizapp.find_sinks(seen))
    """
    context = seen.with_network().ready()
    return sinks(context.model, context.pixels, seen.trace, context.norms)


def leave_out(seen: Analysis, patches: Iterable[Sink | tuple[int, int]]) -> Analysis:
    """The same analysis as if no token could look at these patches: their attention is shared out among all others.

    Only for methods that need nothing but attention. Others would run the unchanged network, and are refused.

    Parameters
    ----------
    patches
        sinks, or pairs (row, col) from 0

    Examples
    --------
    >>> without = vizapp.leave_out(vizapp.analyse("toy", "example"), [(0, 3)])
    """
    places = [(one.row, one.col) if isinstance(one, Sink) else one for one in patches]
    for place in places:
        if not isinstance(place, (tuple, list)) or len(place) != 2:
            raise VizError("{got!r} is no patch.", "Give sinks, or pairs (row, col) from 0: [(3, 4)].", got=place)
    trace = without(seen.trace, [seen.trace.layout.token_of(*place) for place in places])
    origin = provenance(seen.context.model) if seen.context else seen.origin
    return replace(seen, trace=trace, context=None, origin=origin, _classes=Recent())
