"""Which room may import which: the walls that `test_architecture.py` keeps."""

import re

# The files at the top of vizapp: the doors, and what all rooms use. All else has a room.
TOP = set("__init__ __main__ arguments cli errors memory plugins recent registry vocabulary whole_file wording".split())

# Room: what it may import besides the standard library. The longest name that fits a module is its room; "#" begins a remark.
ROOMS = """
launch: vizapp.cli
vizapp: vizapp.analysis vizapp.pipeline vizapp.painting vizapp.data vizapp.browser.one_file.export
    vizapp.browser.quantised.quantised vizapp.browser.widget.widget vizapp.core vizapp.model vizapp.render
    vizapp.arguments vizapp.errors
vizapp.__main__: vizapp.cli
vizapp.wording:
vizapp.vocabulary:
vizapp.errors: vizapp.wording
vizapp.arguments: vizapp.wording
vizapp.plugins: vizapp.errors vizapp.wording
vizapp.recent:
vizapp.registry:
vizapp.whole_file:
vizapp.model: vizapp.model vizapp.errors vizapp.memory vizapp.plugins torch numpy safetensors cv2
vizapp.model.preprocess: vizapp.model vizapp.errors torch numpy PIL
vizapp.model.processor: vizapp.model.frame vizapp.recent vizapp.errors torch numpy PIL
vizapp.model.labels: timm
vizapp.model.downloads: vizapp.errors torch huggingface_hub tqdm
vizapp.model.timm_names: vizapp.wording huggingface_hub
vizapp.model.origins: vizapp.model vizapp.errors huggingface_hub
vizapp.terminal.progress:
vizapp.model.zoo: vizapp.model vizapp.errors vizapp.memory vizapp.plugins vizapp.registry torch numpy timm torchvision
    transformers open_clip
vizapp.memory: vizapp.errors torch
vizapp.terminal:
# A picture goes down this list and never back up: opened, decoded, and what these two ask.
vizapp.picture: vizapp.picture.opening vizapp.picture.decoding vizapp.picture.arrays vizapp.picture.pages vizapp.errors
    numpy PIL
vizapp.picture.pages: vizapp.picture.chunks vizapp.picture.refusals vizapp.errors PIL
vizapp.picture.opening: vizapp.picture.chunks vizapp.picture.refusals vizapp.errors PIL
vizapp.picture.chunks: vizapp.wording
vizapp.picture.libtiff: PIL
vizapp.picture.decoding: vizapp.picture.chunks vizapp.picture.libtiff vizapp.picture.pixels vizapp.picture.depth
    vizapp.picture.refusals vizapp.errors numpy PIL
vizapp.picture.arrays: vizapp.picture.pixels vizapp.picture.depth vizapp.picture.refusals vizapp.errors numpy PIL
vizapp.picture.pixels: vizapp.picture.depth vizapp.errors numpy PIL
vizapp.picture.depth: vizapp.errors numpy PIL
vizapp.picture.refusals: vizapp.memory vizapp.errors
vizapp.core: vizapp.core vizapp.memory vizapp.errors vizapp.wording vizapp.plugins vizapp.registry vizapp.model.spec
    torch numpy
vizapp.core.methods.by_pixels: vizapp.core vizapp.wording vizapp.model.spec torch captum
vizapp.core.methods.flow: vizapp.core vizapp.errors vizapp.model.spec torch numpy scipy
vizapp.render: vizapp.render vizapp.errors vizapp.model.frame numpy matplotlib PIL
vizapp.pipeline.captions: vizapp.pipeline vizapp.core vizapp.model vizapp.errors vizapp.wording torch
vizapp.pipeline.step_by_step: vizapp.analysis vizapp.core vizapp.errors
vizapp.pipeline.teaching: vizapp.analysis vizapp.core vizapp.errors vizapp.model.spec numpy torch
vizapp.pipeline.batches: vizapp.analysis vizapp.pipeline vizapp.core vizapp.model vizapp.picture vizapp.errors torch
vizapp.pipeline.inputs: vizapp.picture vizapp.errors vizapp.wording vizapp.model torch numpy
vizapp.analysis: vizapp.analysis vizapp.recent vizapp.core vizapp.errors vizapp.model.frame numpy
vizapp.analysis.archive: vizapp.core.attention.parts vizapp.errors torch numpy PIL safetensors
vizapp.analysis.provenance: vizapp.core.capture vizapp.core.memo vizapp.model.spec torch
vizapp.analysis.saved: vizapp.analysis vizapp.core vizapp.errors vizapp.model
vizapp.analysis.head_rows: vizapp.analysis vizapp.core vizapp.errors numpy
vizapp.analysis.tables: vizapp.whole_file vizapp.errors
vizapp.analysis.unfinished: vizapp.errors
vizapp.analysis.notebook: vizapp.analysis vizapp.core vizapp.render vizapp.errors numpy
vizapp.render.moving: vizapp.errors numpy PIL av
vizapp.pipeline.trial: vizapp.analysis vizapp.core vizapp.vocabulary vizapp.wording numpy
vizapp.pipeline: vizapp.pipeline.inputs vizapp.pipeline.loading vizapp.analysis vizapp.arguments vizapp.core vizapp.picture
    vizapp.errors vizapp.model vizapp.recent torch
vizapp.painting: vizapp.analysis vizapp.pipeline vizapp.painting vizapp.core vizapp.render vizapp.errors numpy
    matplotlib
vizapp.painting.video: vizapp.analysis vizapp.pipeline vizapp.painting vizapp.core vizapp.picture.frames vizapp.model
    vizapp.whole_file vizapp.render vizapp.errors numpy torch
vizapp.picture.frames: vizapp.errors vizapp.picture numpy PIL cv2
vizapp.pipeline.sanity: vizapp.analysis vizapp.pipeline.comparison vizapp.core vizapp.wording vizapp.errors numpy
vizapp.pipeline.comparison: vizapp.analysis vizapp.pipeline vizapp.core vizapp.wording vizapp.errors
    numpy
vizapp.data.evaluation: vizapp.data vizapp.analysis vizapp.core vizapp.pipeline vizapp.errors
    vizapp.model torch
vizapp.data.heads: vizapp.data vizapp.analysis vizapp.core vizapp.pipeline vizapp.errors vizapp.model numpy torch
vizapp.data: vizapp.data vizapp.analysis vizapp.pipeline vizapp.picture vizapp.core vizapp.errors vizapp.model numpy
vizapp.data.engines: vizapp.data vizapp.errors vizapp.model torch ray
vizapp.data.workers: vizapp.errors vizapp.wording ray
vizapp.ui: vizapp.ui vizapp.wording vizapp.recent vizapp.registry vizapp.analysis vizapp.model.spec vizapp.model.downloads.heard
    vizapp.model.fetch vizapp.model.timm_names vizapp.model.named_weights vizapp.model.zoo.fetchables
    vizapp.model.zoo.photo_networks
    vizapp.model.zoo.photos.PREFIXES vizapp.model.preprocess.FITS
    vizapp.model.toy.labels vizapp.model.toy.lessons vizapp.pipeline vizapp.painting vizapp.picture.MAX_PIXELS
    vizapp.picture.PUBLIC_PIXELS vizapp.picture.check_public vizapp.picture.pages vizapp.memory vizapp.core vizapp.render
    vizapp.errors vizapp.whole_file gradio starlette numpy cv2 torch
# Networks of films are kept apart from those of the pipeline.
vizapp.ui.viewer.answers.moments: vizapp.ui vizapp.analysis vizapp.pipeline vizapp.model.load vizapp.model.spec
    vizapp.model.preprocess.Fit vizapp.model.zoo.ModelName vizapp.recent vizapp.errors
vizapp.ui.zero_gpu: vizapp.analysis vizapp.pipeline vizapp.picture.MAX_PIXELS vizapp.picture.PUBLIC_PIXELS vizapp.core
    vizapp.model.spec vizapp.recent vizapp.errors numpy torch spaces
vizapp.ui.programs: vizapp.ui vizapp.analysis vizapp.pipeline vizapp.painting vizapp.core vizapp.errors gradio
    starlette pydantic numpy cv2
vizapp.ui.programs.tools: vizapp.analysis.provenance.own_version vizapp.ui.programs vizapp.errors gradio gradio_client
    mcp anyio starlette
vizapp.ui.server: vizapp.ui.server vizapp.whole_file vizapp.ui.jobs vizapp.ui.languages vizapp.ui.limits vizapp.ui.early
    vizapp.ui.glossary vizapp.ui.incoming vizapp.ui.link vizapp.ui.programs.arguments vizapp.ui.programs.keyword_calls
    vizapp.ui.errors vizapp.ui.terminal vizapp.ui.theme vizapp.ui.views vizapp.ui.words vizapp.errors gradio fastapi starlette
    python_multipart
vizapp.ui.server.compression: starlette brotli
vizapp.ui.server.address: vizapp.errors
vizapp.browser: vizapp.browser vizapp.pipeline vizapp.analysis vizapp.core.methods
    vizapp.core.modes vizapp.core.network vizapp.model vizapp.picture vizapp.render.colour vizapp.render.small vizapp.ui
    vizapp.errors vizapp.wording torch numpy PIL anywidget traitlets
vizapp.server: vizapp.server vizapp.browser vizapp.ui vizapp.analysis vizapp.core vizapp.pipeline vizapp.model.toy.lessons
    vizapp.model.downloads.heard vizapp.model.named_weights vizapp.model.timm_names
    vizapp.recent vizapp.errors gradio starlette numpy torch
vizapp.verbs: vizapp.verbs vizapp.registry vizapp.browser vizapp.terminal vizapp.picture.frames vizapp.painting.figures
    vizapp.painting.video vizapp.pipeline vizapp.core.methods vizapp.data
    vizapp.model.timm_names vizapp.model.zoo vizapp.model.fetch vizapp.errors
vizapp.terminal.completion: argcomplete
vizapp.verbs.doctor: vizapp torch huggingface_hub  # it looks everywhere
vizapp.pipeline.as_json: vizapp.analysis vizapp.pipeline.comparison vizapp.core numpy
vizapp.terminal.parser: vizapp.wording
vizapp.terminal.values: vizapp.core.methods vizapp.errors
vizapp.cli: spaces vizapp.__version__ vizapp.terminal vizapp.verbs vizapp.server vizapp.ui vizapp.analysis.record vizapp.pipeline
    vizapp.painting vizapp.render.overlay
    vizapp.model.zoo.photo_networks vizapp.core vizapp.errors
"""


def _read() -> dict[str, tuple[str, ...]]:
    """Room -> what it may import; a line that is indented goes on with the one before."""
    whole = re.sub(r"\n +", " ", re.sub(r" *#.*", "", ROOMS))
    rows = (line.partition(":") for line in whole.splitlines() if line)
    return {room: tuple(others.split()) for room, _, others in rows}


MAY_IMPORT = _read()
