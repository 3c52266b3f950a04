"""List every reason why an attention is not among the layers, in the words that a ledger or a refusal gives."""

from vizapp.wording import Text

WHY_NOT = {
    "channels": Text("it weighs channels, not patches"),
    "mixtures": Text("each of its keys is a mixture of patches from the whole picture"),
    "alone": Text("it has one key only, whose weight is always 1: it weighs pictures of a batch, or nothing"),
    "scattered": Text("its tokens stand on no grid of patches that covers the picture"),
    "unplaced": Text("where its tokens stand on the picture could not be followed"),
    "frames": Text("several of its tokens stand on one patch, as those of a video or of a volume do"),
    "disordered": Text("the order of its tokens, or of what it gives, is not understood"),
    "carriers": Text("tokens that stand for no patch lie in its windows"),
    "moving": Text("which patches its tokens stand for changes with the picture or by chance"),
}
NOT_LOOKED_AT = Text("it is not among the modules that are looked at")
IN_A_THREAD = Text("it runs in another thread, where nothing is seen")
NOT_UNDERSTOOD = Text("it weighs tokens by one another in a way that is not understood: {what}", what="")
IN_PART = Text(
    "besides what is seen of it, it weighs tokens by one another in a way that is not understood: {what}", what=""
)
NOT_SEEN = Text("a softmax runs in it that was not seen to weigh values")
SUMMED = Text("it sums over patches, for learned queries or for features: attention pooling, or linear attention")
GOES_ROUND = Text("something goes round {name}: later layers hear more than what it hands on", name="")
READ_EARLY = Text("The output reads what {names} made, too, and not only the last layer.", names="")
WAYS_UNKNOWN = Text(
    "Whether something goes round a layer could not be measured: parts of the network run without gradients."
)
NO_LAYERS = Text("its patches do not look at patches; only its class token does")
