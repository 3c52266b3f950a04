"""The forty faults of `python -m bench.planted`: slips that a contributor could make, one line each, in every room.

They were written down before any of them was tried. A fault that stays because nothing can tell it has its reason beside it.
"""

from typing import NamedTuple


class Fault(NamedTuple):
    """One line of a file, as it is and as it would be, and what a user would see.

    seen    what goes wrong for a user
    is_new  was a test written for it, as none was seen to notice?
    excuse  why no test is to find it; "": one is
    """

    room: str
    file: str
    before: str
    after: str
    seen: str
    is_new: bool = False
    excuse: str = ""


FAULTS: dict[str, Fault] = {
    "sinks-forget-mask": Fault(
        "core/attention",
        "vizapp/core/attention/layers.py",
        "bias = closed if self.bias is None else self.bias + closed",
        "bias = closed",
        "a map without sinks forgets the network's mask and position bias: attention where the network may not look",
        is_new=True,
    ),
    "windows-count-twice": Fault(
        "core/attention",
        "vizapp/core/attention/windows.py",
        "(query / count.clamp_min(1))[flat], 0)",
        "query[flat], 0)",
        "rollout through overlapping windows counts a token once for each window that it is in",
        is_new=True,
    ),
    "spread-turned": Fault(
        "core/attention",
        "vizapp/core/attention/grids.py",
        "patches.repeat_interleave(scale[0], -2).repeat_interleave(scale[1], -1)",
        "patches.repeat_interleave(scale[1], -2).repeat_interleave(scale[0], -1)",
        "where patches are merged by other numbers in height and width, rollout fails",
        is_new=True,
    ),
    "edit-any-type": Fault(
        "core/capture",
        "vizapp/core/capture/call_edit.py",
        "if made.output.shape != call.output.shape or made.output.dtype != call.output.dtype:",
        "if made.output.shape != call.output.shape:",
        "an edit that gives float64 is no longer refused in words: the network fails somewhere behind it",
    ),
    "sum-by-name": Fault(
        "core/capture",
        "vizapp/core/capture/refusals/unseen_mixing.py",
        'dim = ran.kwargs.get("dim", ran.kwargs.get("axis", ran.args[1] if len(ran.args) > 1 else None))',
        'dim = ran.kwargs.get("dim", ran.kwargs.get("axis"))',
        "an axis that a network gives by its place, not by its name, is read as another one",
        is_new=True,
    ),
    "hidden-row-rolled": Fault(
        "core/methods",
        "vizapp/core/methods/rollout.py",
        "weight = r[..., some] / (1 + fused.sum(-1))",
        "weight = r[..., some] / 2",
        "the rollout that comes with the first map sums to less than one where a mask hides a row altogether",
        is_new=True,
    ),
    "rise-unit": Fault(
        "core/methods",
        "vizapp/core/methods/rise.py",
        "(total / (masks * keep))",
        "(total / masks)",
        "RISE says half of the class's mean probability",
    ),
    "near-turned": Fault(
        "core/metrics",
        "vizapp/core/metrics/pointing.py",
        "reach = (mask.shape[0] // scores.shape[1] // 2, mask.shape[1] // scores.shape[2] // 2)",
        "reach = (mask.shape[1] // scores.shape[2] // 2, mask.shape[0] // scores.shape[1] // 2)",
        "'brightest near it' takes half a patch's width for its height where patches are not square",
    ),
    "sinks-unsorted": Fault(
        "core/trust",
        "vizapp/core/trust/sinks.py",
        "tuple(sorted(result, key=lambda sink: (-sink.share, sink.row, sink.col)))",
        "tuple(result)",
        "find_sinks gives them in the order of layers, not the greediest first",
        is_new=True,
    ),
    "chance-off-by-one": Fault(
        "core/trust",
        "vizapp/core/trust/chance.py",
        "return (1 + as_good) / (1 + orders) <= CHANCE_LEVEL",
        "return as_good / orders <= CHANCE_LEVEL",
        "a map counts as better than chance with too few random orders",
    ),
    "lens-all-shapes": Fault(
        "core/signals",
        "vizapp/core/signals/lens.py",
        "sorted(streams.items()) if stream.shape == made.shape)",
        "sorted(streams.items()))",
        "networks that shrink their grid have no answer after fewer layers: a refusal in place of the last ones",
        is_new=True,
    ),
    "part-by-middle": Fault(
        "core/capture",
        "vizapp/core/capture/patches/cell_places.py",
        "return half - whole / 2, float(whole), True",
        "return half, float(whole), True",
        "maps, scores and methods by pixels are half a patch off where patches do not lie evenly on the picture",
        is_new=True,
    ),
    "even-head-axis": Fault(
        "core/interventions",
        "vizapp/core/interventions/head_off.py",
        "math.log(call.k.shape[-2])",
        "math.log(call.k.shape[-1])",
        "a head that looks evenly has the width of its vectors in place of the number of its tokens",
        is_new=True,
    ),
    "hidden-by-200": Fault(
        "core/interventions",
        "vizapp/core/masks.py",
        "HIDES = 50.0",
        "HIDES = 200.0",
        "in Swin, a head that looks evenly looks through the mask between shifted windows",
    ),
    "crop-floored": Fault(
        "model",
        "vizapp/model/preprocess.py",
        "round((scaled - size) / 2) if scaled >= size",
        "(scaled - size) // 2 if scaled >= size",
        "a pixel off from what timm crops, where an odd number is left over",
    ),
    "mask-by-corner": Fault(
        "model",
        "vizapp/model/frame.py",
        "np.floor((np.arange(size) + 0.5 + origin) / scale)",
        "np.floor((np.arange(size) + origin) / scale)",
        "masks lie half a pixel of the model beside the picture",
        is_new=True,
    ),
    "steps-averaged": Fault(
        "data",
        "vizapp/data/evaluation.py",
        """{' '.join([*methods, *measures()])}" + (f" {steps} steps" if steps else "")""",
        """{' '.join([*methods, *measures()])}" + (" with curves" if steps else "")""",
        "a broken-off evaluation goes on with other --steps, and averages both",
        is_new=True,
    ),
    "masks-unseen": Fault(
        "data",
        "vizapp/data/folder.py",
        "files = [*self.files, *(mask for mask in map(self.mask_of, self.files) if os.path.exists(mask))]",
        "files = self.files",
        "a broken-off run goes on after a mask was mended, and averages both",
        is_new=True,
    ),
    "overlay-sideways": Fault(
        "render/painting",
        "vizapp/render/overlay.py",
        "_cells(frame.picture[1], frame.scale[1], frame.origin[1], frame.input[1], scores.shape[1])",
        "_cells(frame.picture[1], frame.scale[1], frame.origin[0], frame.input[1], scores.shape[1])",
        "the heatmap of a wide picture lies beside what the model saw",
    ),
    "film-below-zero": Fault(
        "render/painting",
        "vizapp/painting/video.py",
        "self.high = (max(-kept.low, kept.high) or 1.0) if top is None else top",
        "self.high = (kept.high or 1.0) if top is None else top",
        "in a film of a signed method all that is below minus the largest value has one colour",
        is_new=True,
    ),
    "saved-transposed": Fault(
        "analysis",
        "vizapp/analysis/archive.py",
        "place = (one.data_ptr(), tuple(one.shape), one.stride(), one.dtype, str(one.device))",
        "place = (one.data_ptr(), tuple(one.shape), one.dtype, str(one.device))",
        "of a matrix and its transpose in one memory, the file has one of them twice",
        is_new=True,
    ),
    "mark-is-object": Fault(
        "analysis",
        "vizapp/analysis/head_rows.py",
        "masks = [one.mask for one in seen.truth if one.is_object] if mask is None else [mask]",
        "masks = [one.mask for one in seen.truth] if mask is None else [mask]",
        "on_mask counts the tell-tale mark of the shortcut lesson as the object",
        is_new=True,
    ),
    "fit-forgotten": Fault(
        "pipeline",
        "vizapp/pipeline/__init__.py",
        "fit=fit or model.preprocess.fit,",
        "fit=model.preprocess.fit,",
        "a file says that the picture was cropped when it was padded",
        is_new=True,
    ),
    "count-unheard": Fault(
        "verbs/cli",
        "vizapp/verbs/measure.py",
        "        count=asked.count,\n",
        "        count=None,\n",
        "vizapp measure --count 3 looks at every picture",
        is_new=True,
    ),
    "forwarded-first": Fault(
        "ui server",
        "vizapp/ui/server/visitor.py",
        'for said in reversed(",".join(lines).split(",")):',
        'for said in ",".join(lines).split(","):',
        "a visitor who writes an address of his own into X-Forwarded-For is believed: limits by address mean nothing",
    ),
    "uploads-of-one": Fault(
        "ui server",
        "vizapp/ui/server/bounds.py",
        "if way[self.who] > most or way.total() > 5 * most:",
        "if way.total() > 5 * most:",
        "one address may upload five times as much at once as it should",
        is_new=True,
    ),
    "newest-goes": Fault(
        "ui session",
        "vizapp/recent.py",
        "in enumerate(reversed(list(self._kept.items()))):",
        "in enumerate(list(self._kept.items())):",
        "the page forgets what was just looked at, and keeps what nobody wants any more",
    ),
    "plus-is-space": Fault(
        "link",
        "vizapp/ui/link/address.js",
        'new URLSearchParams(part.replaceAll("+", "%2B")).get(key)',
        "new URLSearchParams(part).get(key)",
        "a link to a model or picture with a plus in its name opens another one, or none",
        is_new=True,
    ),
    "any-file": Fault(
        "link",
        "vizapp/ui/link/__init__.py",
        "ours = folder.current().ours(path) if isinstance(path, str) else None",
        "ours = Path(path) if isinstance(path, str) else None",
        "a link may name any picture file of the server as an upload, and is shown it",
    ),
    "rounded-freely": Fault(
        "payload",
        "vizapp/ui/viewer/attention_blocks.py",
        "np.minimum(SHARE * np.abs(values), MOST)",
        "np.maximum(SHARE * np.abs(values), MOST)",
        "maps of large layers in a page without a server are rounded more coarsely than is said",
    ),
    "column-twice": Fault(
        "viewer numbers",
        "vizapp/ui/viewer/numbers/attention.js",
        "if (query >= 0) out[query] += part[i] / (own[query + 1] - own[query]);",
        "if (query >= 0) out[query] += part[i];",
        "who looks at a patch, through overlapping windows: shares above one",
        is_new=True,
    ),
    "learnt-late": Fault(
        "viewer numbers",
        "vizapp/ui/viewer/numbers/film.js",
        ".filter(([, since]) => since <= step)",
        ".filter(([, since]) => since < step)",
        "at the very step at which the network knows a class, the page says that it does not yet",
    ),
    "fade-shifted": Fault(
        "viewer drawing",
        "vizapp/ui/viewer/drawing/stage.js",
        "Math.sqrt(shareOf(view.values[first + i], view.high))",
        "Math.sqrt(shareOf(view.values[i], view.high))",
        "each patch of the heatmap is as transparent as its neighbour should be",
        is_new=True,
    ),
    "outline-half": Fault(
        "viewer drawing",
        "vizapp/ui/viewer/drawing/outline.js",
        "path.lineTo(ends[i + 1][0] + 0.5, ends[i + 1][1] + 0.5);",
        "path.lineTo(ends[i + 1][0], ends[i + 1][1]);",
        "the line around an object is a row of teeth",
        is_new=True,
    ),
    "sinks-after": Fault(
        "viewer panels",
        "vizapp/ui/viewer/numbers/sinks.js",
        'return layer + 1 < first ? "before" : layer + 1 > last ? "after" : "between";',
        'return layer + 1 < first ? "before" : layer > last ? "after" : "between";',
        "one layer behind the last with sinks, the page says that it is between them",
        is_new=True,
    ),
    "nearest-first": Fault(
        "viewer panels",
        "vizapp/ui/viewer/numbers/measures.js",
        "entropy: true, distance: false,",
        "entropy: true, distance: true,",
        "heads sorted by distance begin with those that look next to themselves",
    ),
    "half-translated": Fault(
        "words",
        "vizapp/ui/words/__init__.py",
        "(self.translate(message), self.translate(hint)) if self._has(error)",
        "(self.translate(message), self.translate(hint)) if self._knows(message)",
        "an error whose hint has no Chinese is half Chinese, half English",
    ),
    "much-of-patches": Fault(
        "browser engine",
        "vizapp/browser/engine/sinks.js",
        "received[layer][first + patch] > SINK_MUCH / (first + patches)",
        "received[layer][first + patch] > SINK_MUCH / patches",
        "the page without a server misses sinks that Python finds",
        is_new=True,
    ),
    "photo-any-size": Fault(
        "browser export",
        "vizapp/browser/shelf.py",
        "if kind not in SHOWN_AS_IT_IS or len(file) > LARGEST or (page or 1) > 1:",
        "if kind not in SHOWN_AS_IT_IS or (page or 1) > 1:",
        "a page in one file carries a photo of 20 MB as it is",
        is_new=True,
    ),
    "shrunk-too-much": Fault(
        "picture reading",
        "vizapp/picture/decoding.py",
        "n_pixels <= most * factor**2)",
        "n_pixels <= most * factor)",
        "large JPEGs are read at half the size that there is room for",
    ),
}

# Room -> the test files that are nearest to it: of the gate, and of the whole run.
NEAREST: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "core/attention": (
        (
            "unit/core/trust/test_sinks.py",
            "unit/core/test_layers_describe_themselves.py",
            "unit/core/attention/test_hidden_rows.py",
            "unit/core/attention/test_chain.py",
        ),
        ("whole/libraries/test_order_of_patches.py",),
    ),
    "core/capture": (
        ("unit/core/interventions/test_edits.py", "unit/core/test_ops.py"),
        ("whole/libraries/test_unseen_mixing.py", "whole/libraries/test_other_libraries.py"),
    ),
    "core/methods": (
        ("unit/core/attention/test_hidden_rows.py", "unit/core/methods/test_other_methods.py"),
        ("whole/libraries/test_export_methods.py",),
    ),
    "core/metrics": (("unit/core/metrics/test_metrics.py",), ()),
    "core/trust": (
        ("unit/core/trust/test_sinks.py", "unit/core/trust/test_faithfulness.py", "unit/pipeline/test_comparison.py"),
        (),
    ),
    "core/signals": (
        ("unit/core/signals/test_steps.py", "unit/core/methods/test_other_methods.py"),
        ("whole/libraries/test_precision.py",),
    ),
    "core/interventions": (
        ("unit/core/interventions/test_edits.py", "unit/pipeline/test_edited_analysis.py"),
        ("whole/libraries/test_precision.py",),
    ),
    "model": (("unit/model/test_frame.py", "unit/model/test_preprocess.py"), ()),
    "data": (("unit/data/test_folder.py", "unit/data/test_evaluation.py"), ()),
    "render/painting": (("unit/render/test_overlay.py", "unit/painting"), ("whole/libraries/test_video.py",)),
    "analysis": (("unit/analysis/test_saved.py", "unit/core/test_head_statistics.py", "unit/data/test_measure.py"), ()),
    "pipeline": (("unit/pipeline/test_pipeline.py", "unit/analysis/test_saved.py"), ()),
    "verbs/cli": (("unit/data/test_measure.py", "unit/test_cli.py"), ()),
    "ui server": (("unit/ui/server", "page/server"), ("whole/load",)),
    "ui session": (("unit/ui/test_jobs.py", "unit/ui/test_session.py"), ("whole/browser/test_visits.py",)),
    "link": (("unit/ui/test_link.py", "page/test_js.py"), ("whole/browser/test_link.py",)),
    "payload": (("page/test_page.py", "page/test_js.py"), ("whole/libraries/test_export_pack.py",)),
    "viewer numbers": (("page/test_js.py",), ("whole/browser/test_layers.py", "whole/browser/test_time.py")),
    "viewer drawing": (
        ("page/test_in_a_browser.py", "page/test_js.py", "page/test_page.py"),
        ("whole/browser/test_first_sight.py", "whole/browser/test_browser.py", "whole/browser/test_save.py"),
    ),
    "viewer panels": (
        ("page/test_in_a_browser.py", "page/test_js.py"),
        ("whole/browser/test_browser.py", "whole/browser/test_sinks.py", "whole/browser/test_atlas.py"),
    ),
    "words": (
        ("unit/test_reasons.py", "unit/ui/test_words.py"),
        ("whole/browser/test_languages.py",),
    ),
    "browser engine": (("page/test_js.py", "page/test_export_whole.py", "page/test_browser_engine.py"), ()),
    "browser export": (
        ("unit/test_doors.py", "page/test_export_pixels.py", "page/test_export_whole.py"),
        ("whole/browser/test_export_page.py",),
    ),
    "picture reading": (("unit/picture/test_decoding.py", "unit/picture/test_picture.py"), ()),
}
