"""Names of classes: ImageNet's, by the number of classes of the head, from the tables that timm ships."""

from collections import Counter
from functools import cache


@cache
def imagenet_labels(n_classes: int) -> tuple[str, ...]:
    """Name the classes of ImageNet-1k, -12k, -21k ... in the order of the logits; () if no such set is known.

    A name is the first of the class's synonyms ("cheetah"), with the second one if two classes share the first ("crane").
    """
    from timm.data import ImageNetInfo, infer_imagenet_subset

    subset = infer_imagenet_subset({"num_classes": n_classes})
    if subset is None:
        return ()
    synonyms = [description.split(", ") for description in ImageNetInfo(subset).label_descriptions()]
    count = Counter(names[0] for names in synonyms)
    return tuple(names[0] if count[names[0]] == 1 else ", ".join(names[:2]) for names in synonyms)


def numbered_labels(n_classes: int) -> tuple[str, ...]:
    """ "class 0", "class 1", ...: for a classifier whose classes have no known names."""
    return tuple(f"class {i}" for i in range(n_classes))
