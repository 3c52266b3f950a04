"""Lists what can be asked for by name."""

import vizapp.core.methods as known
import vizapp.model as sources


def methods() -> tuple[str, ...]:
    """The names of all methods of `vizapp.explain`, those of plug-ins too.

    Examples
    --------
    >>> vizapp.methods()[:2]
    ('alti', 'attention')
    """
    return tuple(known.methods())


def models() -> tuple[str, ...]:
    """The names of models that `vizapp.load` finds without a network, and some that it fetches; any other of timm, Hugging Face,
    torchvision and open_clip can be asked for, too.

    Examples
    --------
    >>> vizapp.models()[0]
    'toy'
    """
    return tuple(sources.names())
