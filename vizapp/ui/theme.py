"""How the page looks: Gradio's plain theme in one accent colour, with system fonts, so that nothing is fetched."""

from __future__ import annotations

import gradio as gr

CSS = """
.gradio-container { overflow: clip !important; } /* where it is hidden, nothing within can stay in view */
.gradio-container { padding: 0 !important; width: 100% !important; max-width: 1900px !important; margin: 0 auto !important; }
.gradio-container > .main { padding: 2px 18px 0 !important; width: 100%; }
#heading { padding: 0 0 2px; }
#heading h1 { display: inline; font-size: 20px; margin: 0 10px 0 0; }
#heading p { display: inline; font-size: 14px; color: var(--body-text-color-subdued); }
#columns { flex-wrap: wrap; gap: 20px; align-items: flex-start; }
#choose { min-width: 210px !important; max-width: 230px; gap: 8px; }
#look { min-width: min(100%, 360px) !important; }
#look > .block { overflow: visible; }
#choose .gallery:has(> .gallery-item) { gap: 4px; display: grid; grid-template-columns: repeat(4, 1fr); padding: 0; }
#choose .gallery-item { padding: 0; border-radius: 6px; overflow: hidden; aspect-ratio: 1; }
#choose .gallery-item :is(span, .container, img) { display: block; width: 100%; height: 100%; max-width: none; max-height: none;
  margin: 0; padding: 0; border: 0; object-fit: cover; }
#choose, #shelf { gap: 10px; }
#shelf, #choose > .form, #choose .form, #choose .block { background: none; border: 0; box-shadow: none; }
#choose .form > .block { padding: 0; }
/* Every label of the left is a line of text of one kind. */
:is(#choose [data-testid="block-info"], #choose [data-testid="block-label"], #shelf .block > .label, #lessons-title b) {
  position: static; padding: 0; margin: 0 0 2px; border: 0; background: none; box-shadow: none;
  font: 600 13px/1.4 var(--font); color: var(--body-text-color); }
#picture .image-container { height: calc(100% - 20px); }
#choose [data-testid="block-label"] span, #shelf .label svg { display: none; }
#kept, #kept :is(div, p) { margin: 0; padding: 0; font-size: 11px; line-height: 1.25;
  color: var(--body-text-color-subdued); }
#lessons-title, #lessons-title div { padding: 0; font-size: 13px; color: var(--body-text-color-subdued); }
#lessons { gap: 4px; }
#lessons button { padding: 3px 6px; flex: 1 1 auto; font-weight: 500; }
#heading details { display: inline-block; position: relative; margin-left: 12px; font-size: 14px; }
#heading summary { cursor: pointer; color: var(--link-text-color); text-decoration: underline; }
#heading details > div { position: absolute; right: 0; top: 26px; z-index: 50; width: min(480px, 92vw); padding: 12px 16px;
  box-sizing: border-box;
  border: 1px solid var(--border-color-primary); border-radius: 8px; background: var(--background-fill-primary);
  box-shadow: 0 6px 24px #0003; max-height: calc(100vh - 60px); overflow-y: auto; }
#heading details p { display: block; margin: 0 0 7px; color: var(--body-text-color); }
#heading, #heading > div { overflow: visible !important; position: relative; z-index: 50; }
#recent, #recent :is(div, p) { margin: 0; padding: 0; min-height: 0; }
#recent:not(:has(button)) { display: none; }
#recent p { font-size: 11px; line-height: 1.9; color: var(--body-text-color-subdued); }
#recent button { font: 500 12px/1.4 var(--font) !important; min-height: 0 !important; }
#recent button { max-width: 100%; margin-right: 4px; padding: 2px 7px; border-radius: 6px; overflow: hidden;
  text-overflow: ellipsis; white-space: nowrap; vertical-align: middle; color: var(--body-text-color);
  background: var(--button-secondary-background-fill); }
/* Stop lies on the picture, below its bar, while there is one: nothing jumps. */
#look-stop { display: none; }
#choose:has(#wait .progress-bar-wrap) > #look-stop { display: block; align-self: center; margin: -82px 0 50px; z-index: 60; }
#offer { gap: 4px; padding: 8px 10px; border-radius: 8px; background: var(--color-accent-soft); }
#offer-said, #offer-said div { padding: 0; }
#offer-said :is(p, small) { display: block; margin: 0; font-size: 12px; line-height: 1.35; }
#offer-said small { margin-top: 3px; font-size: 11px; }
/* It stands in the place of the help of the field below it, so that little moves. */
#choose:has(#offer) #model .info-text { display: none; }
#model .options, #model .options li { width: min(350px, 92vw) !important; }
#offer-said progress { width: 100%; height: 8px; }
#tabs { gap: 0; margin-top: -16px; }
#tabs > .tab-wrapper { height: 28px; padding: 0; margin-bottom: 2px; }
#tabs > .tab-wrapper button { padding: 0 12px; height: 27px; font-size: 14px; }
#tabs button[role="tab"][aria-selected="true"] { color: var(--link-text-color); }
#tabs .tabitem { padding: 0; border: 0; }
#to-choose { display: none; }
#heading .touch { display: none; }
@media (pointer: coarse) {
  #heading .touch { display: inline; }
  #heading p:not(.touch, details p) > b { display: none; }
}
@media (max-width: 700px) {
  #to-choose { display: inline-block; padding: 4px 0; font-size: 14px; color: var(--link-text-color); }
  #heading p > span { font-size: 12px; }
  #lessons-title { display: none; }
  #choose { display: contents; }
  #choose > * { order: 2; }
  /* Lessons and photos in a strip above the maps, which a finger moves sideways. */
  #shelf { order: 0 !important; flex: 1 1 100%; min-height: 46px; flex-flow: row nowrap; align-items: center; gap: 8px;
    overflow-x: auto; scrollbar-width: none; }
  #shelf > * { flex: none; width: auto; min-width: 0; }
  #shelf .label { display: none; }
  #shelf #lessons { flex-wrap: nowrap; }
  #shelf #lessons button { flex: none; min-width: 0 !important; min-height: 44px; padding: 0 12px; white-space: nowrap; }
  #shelf .gallery:has(> .gallery-item) { grid-template-columns: repeat(4, 44px); }
  #look { min-height: 120vh; } /* what stands below does not move while it comes */
  #heading details { position: static; margin-right: 12px; }
  #heading details > div { top: auto; left: 0; width: 100%; box-sizing: border-box; }
  .gradio-container > .main { padding: 6px 10px !important; }
  #look { order: 1; }
  #offer { order: 0 !important; flex: 1 1 100%; } /* beside what it is about: the photo that was tapped */
}
/* What waits says so on the picture, without the percentage that Gradio adds: only the bar has the words alone. */
#wait { position: relative; overflow: visible !important; height: 0; min-height: 0 !important; margin-top: -10px; }
#wait > .wrap { position: absolute; inset: auto 0 24px; height: 150px; }
#wait:has(.progress-bar-wrap) > .wrap { background: none; }
#wait .progress-level { width: 94%; }
#wait .progress-level-inner, #wait .progress-bar { display: none; }
#wait .progress-bar-wrap { width: auto; height: auto; padding: 4px 8px; border: 0; border-radius: 6px; text-align: center;
  font: 600 12px/1.4 var(--font); color: var(--body-text-color); background: var(--background-fill-primary); }
#wait .progress-bar-wrap::before { content: attr(aria-label); }
/* What is pressed is at least 24 pixels wide and high; where that is more than its line, it reaches over it. */
#heading summary, #tabs .label-wrap { padding-block: 3px; margin-block: -3px; }
#lessons button { min-height: 24px; }
#recent button { min-height: 24px !important; }
#picture :is(button.icon, button.icon-button) { min-width: 24px; min-height: 24px; }
#columns input:is([role="listbox"], [role="combobox"]) { padding-block: 5px; margin-block: -5px; }
/* What only screen readers find. */
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
/* Where the visitor's own few colours replace ours, and on paper, what is chosen stays to be seen. */
@media (forced-colors: active) {
  #tabs button[role="tab"][aria-selected="true"], #tabs label.selected { forced-color-adjust: none; background: Highlight;
    color: HighlightText; }
}
@media print {
  #tabs button[role="tab"][aria-selected="true"] { font-weight: 700; text-decoration: underline; }
  #tabs label.selected { print-color-adjust: exact; outline: 2px solid; outline-offset: -3px; }
}
#photo-names { display: none !important; }
#line, .again:not(:has(p:not(:empty))) { display: none !important; }
.again p { margin: 0 0 6px; padding: 6px 10px; border-radius: 6px; font-size: 13px; background: var(--color-accent-soft); }
/* A tab that has nothing to say of this picture says why, in place of what it said of another one. What is said stands first:
   asked of an element around the viewer, `:has` would lay out all of it with each text that a hover changes (bench/slow.py). */
.tab-refusal:not(:has(p)), .tab-refusal:has(p) ~ * { display: none !important; }
.tab-refusal { padding: 10px 0; font-size: 14px; }
"""

# Chinese: the letters of simplified Chinese (without a name a browser may take Japanese ones), no slanted ones, which it has
# not got, and lines further apart where there is more to read than a line or two. For the head of the page: what is given to
# Gradio as CSS it also puts below a class of its own, which has more weight and where no `:root` is.
CHINESE = """<style>
:root:lang(zh) { --font: system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei",
  "Noto Sans CJK SC", "Source Han Sans SC", "Noto Sans SC", "WenQuanYi Micro Hei", sans-serif; }
:root:lang(zh) :is(i, em, cite) { font-style: normal; }
:root:lang(zh) :is(#heading details, #concepts, #term-said, .viz-step-body, .viz-book, .viz-more-panel, .viz-proof-panel,
  .viz-refusal, .methods-what, #methods-about) :is(p, li) { line-height: 1.7 !important; }
:root:lang(zh) :is(.viz-status, .viz-score, .viz-steps-said) { line-height: 1.5 !important; }
</style>
"""

# Text has 4.5 times the contrast of its ground, in light and in dark: the theme's own accent and its pale grey have less.
# White stands on `color_accent`; where the accent itself is text, it is `link_text_color`.
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


def theme() -> gr.themes.Base:
    system = ["system-ui", "-apple-system", "Segoe UI", "Roboto", "sans-serif"]
    return gr.themes.Soft(
        primary_hue="indigo",
        neutral_hue="slate",
        spacing_size="sm",
        text_size="sm",
        font=system,
        font_mono=["ui-monospace", "Consolas", "monospace"],
    ).set(**READABLE)
