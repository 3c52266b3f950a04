"""The look of the page: Gradio's plain theme in one accent colour, with system fonts, so that nothing is fetched."""

from pathlib import Path

import gradio as gr

CSS = (Path(__file__).parent / "page.css").read_text("utf-8")

# Chinese: the letters of simplified Chinese (without a name a browser may take Japanese ones), no slanted ones, which do not
# exist, and lines further apart in longer texts. This goes into the head of the page: Gradio puts CSS arguments below a class of
# its own, which has more weight and contains no `:root`.
CHINESE = """<style>
:root:lang(zh) { --font: system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei",
  "Noto Sans CJK SC", "Source Han Sans SC", "Noto Sans SC", "WenQuanYi Micro Hei", sans-serif; }
:root:lang(zh) :is(i, em, cite) { font-style: normal; }
:root:lang(zh) :is(#heading details, #concepts, #term-said, .viz-step-body, .viz-book, .viz-more-panel, .viz-proof-panel,
  .viz-refusal, .methods-what, #methods-about) :is(p, li) { line-height: 1.7 !important; }
:root:lang(zh) :is(.viz-status, .viz-score, .viz-steps-said) { line-height: 1.5 !important; }
</style>
"""

# Gradio's parts have the five sizes that the style sheets have (tests/unit/ui/test_offered.py).
TYPE = gr.themes.Size(name="text_five", xxs="11px", xs="11px", sm="12px", md="13px", lg="15px", xl="22px", xxl="22px")

# Text has 4.5 times the contrast of its ground, in light and in dark: the theme's own accent and its pale grey have less.
# White stands on `color_accent`; text in the accent colour has `link_text_color`.
READABLE = {
    "color_accent": "*primary_600",
    "link_text_color": "*primary_700",
    "link_text_color_dark": "*primary_300",
    "body_text_color_subdued": "*neutral_600",
    "block_info_text_color": "*neutral_600",
    "block_info_text_color_dark": "*neutral_400",
    "block_label_text_color": "*primary_700",
    "block_title_text_color": "*primary_700",
    "button_primary_background_fill": "*primary_600",
    "button_primary_background_fill_hover": "*primary_700",
    "button_primary_background_fill_dark": "*primary_600",
    "button_primary_background_fill_hover_dark": "*primary_700",
    "button_secondary_background_fill_hover_dark": "*primary_600",
    "checkbox_label_background_fill_selected": "*primary_600",
    "checkbox_label_background_fill_selected_dark": "*primary_600",
    "input_placeholder_color": "*neutral_500",
    "input_placeholder_color_dark": "*neutral_400",
}

# Buttons and fields are flat, with a line around them, as the viewer's own.
FLAT = {
    "button_border_width": "1px",
    "button_border_width_dark": "1px",
    "button_secondary_border_color": "*border_color_primary",
    "button_secondary_border_color_dark": "*border_color_primary",
    "button_secondary_border_color_hover": "*color_accent",
    "button_secondary_border_color_hover_dark": "*color_accent",
    "button_primary_border_color": "*primary_600",
    "button_primary_border_color_dark": "*primary_600",
    **{
        f"{part}_shadow{state}{mode}": "none"
        for part in ("button_primary", "button_secondary", "button_cancel")
        for state in ("", "_hover", "_active")
        for mode in ("", "_dark")
    },
}


def theme() -> gr.themes.Base:
    system = ["system-ui", "-apple-system", "Segoe UI", "Roboto", "sans-serif"]
    return gr.themes.Soft(
        primary_hue="indigo",
        neutral_hue="slate",
        spacing_size="sm",
        text_size=TYPE,
        font=system,
        font_mono=["ui-monospace", "Consolas", "monospace"],
    ).set(**READABLE, **FLAT)
