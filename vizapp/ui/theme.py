"""How the page looks: Gradio's plain theme in one accent colour, with system fonts, so that nothing is fetched."""

from __future__ import annotations

import gradio as gr

CSS = """
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
#lessons-title { padding: 0; font-size: 13px; color: var(--body-text-color-subdued); }
#lessons { gap: 4px; }
#lessons button { padding: 3px 6px; flex: 1 1 auto; font-weight: 500; }
#heading details { display: inline-block; position: relative; margin-left: 12px; font-size: 14px; }
#heading summary { cursor: pointer; color: var(--color-accent); text-decoration: underline; }
#heading details > div { position: absolute; right: 0; top: 26px; z-index: 50; width: min(480px, 92vw); padding: 12px 16px;
  border: 1px solid var(--border-color-primary); border-radius: 8px; background: var(--background-fill-primary);
  box-shadow: 0 6px 24px #0003; }
#heading details p { display: block; margin: 0 0 7px; color: var(--body-text-color); }
#heading, #heading > div { overflow: visible !important; position: relative; z-index: 50; }
#tabs { gap: 0; margin-top: -16px; }
#tabs > .tab-wrapper { height: 28px; padding: 0; margin-bottom: 2px; }
#tabs > .tab-wrapper button { padding: 0 12px; height: 27px; font-size: 14px; }
#tabs .tabitem { padding: 0; border: 0; }
#methods-choice { align-items: stretch; }
.methods-what { columns: 2 340px; column-gap: 36px; font-size: 13px; padding-left: 18px; }
.methods-what li { break-inside: avoid; margin-bottom: 4px; }
.methods-what i { color: var(--body-text-color-subdued); font-size: 11px; }
#methods-boxes { display: grid; grid-template-columns: repeat(auto-fill, minmax(230px, 1fr)); align-items: start; }
#methods-run { justify-content: flex-start; gap: 8px; }
#methods-run { align-items: center; }
#methods-run button { flex: 0 0 auto; min-width: 120px; }
#methods-note { flex: 1 1 240px; min-width: 200px; min-height: 64px !important; font-size: 13px; }
#methods-note .wrap { background: var(--background-fill-primary); border-radius: 6px; }
#methods-maps h3 { font-size: 17px; margin: 4px 0; }
.methods-scale { font-size: 13px; color: var(--body-text-color-subdued); margin: 0 0 8px; }
.methods-strip { display: inline-block; width: 90px; height: 11px; border-radius: 3px; vertical-align: -1px;
  margin: 0 2px 0 6px; }
.methods-grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 14px 12px; }
.methods-grid figure { margin: 0; min-width: 0; }
.methods-grid .methods-wide { grid-column: span 3; }
.methods-wide > div { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 4px; }
.methods-grid button { display: block; width: 100%; padding: 0; border: 0; background: none; cursor: zoom-in; font: inherit; }
.methods-grid button:focus-visible { outline: 3px solid var(--color-accent); outline-offset: 1px; }
.methods-grid img { display: block; width: 100%; border-radius: 6px; }
.methods-grid button span { display: block; font-size: 12px; color: var(--body-text-color); overflow: hidden;
  text-overflow: ellipsis; white-space: nowrap; }
.methods-grid figcaption { font-size: 13px; line-height: 1.3; margin-top: 4px; }
.methods-grid figcaption p { margin: 1px 0 0; font-size: 12px; color: var(--body-text-color-subdued); }
.methods-tag { font-size: 11px; padding: 0 6px; border-radius: 8px; background: var(--background-fill-secondary);
  border: 1px solid var(--border-color-primary); white-space: nowrap; }
.methods-tag[data-class="True"] { color: var(--color-accent); border-color: currentColor; }
.methods-lines { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 320px), 460px)); gap: 8px 24px; }
.methods-lines svg, .methods-matrix svg { width: 100%; height: auto; color: var(--body-text-color); }
.methods-matrix { max-width: 620px; }
.methods-lines h4 { margin: 8px 0 0; font-size: 15px; }
.methods-legend { list-style: none; display: flex; flex-wrap: wrap; gap: 2px 16px; padding: 0; margin: 8px 0; font-size: 13px; }
.methods-legend i { display: inline-block; width: 26px; vertical-align: middle; margin-right: 6px; }
#methods-table .header-cell .cell-menu-button { display: flex !important; }  /* else only under the mouse */
#methods-table th span { font-family: var(--font); font-size: 12px; }
#methods-table th .header-content { padding-right: 20px; }
#methods-about p { margin: 2px 0; font-size: 13px; }
.methods-large { border: 0; border-radius: 10px; padding: 12px; max-width: 96vw; margin: auto;
  background: var(--background-fill-primary); color: var(--body-text-color); cursor: zoom-out; }
.methods-large::backdrop { background: #000a; }
.methods-large img { display: block; width: min(90vw, 80vh); border-radius: 6px; image-rendering: auto; }
.methods-large p { margin: 6px 0 0; text-align: center; }
#to-choose { display: none; }
@media (max-width: 700px) {
  #to-choose { display: inline-block; padding: 4px 0; font-size: 14px; color: var(--color-accent); }
  #heading details > div { right: auto; left: -80px; }
  .gradio-container > .main { padding: 6px 10px !important; }
  #choose { max-width: none !important; flex: 1 1 100% !important; order: 2; }
  #look { order: 1; }
  .methods-grid { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .methods-grid .methods-wide { grid-column: 1 / -1; }
}
"""


def theme() -> gr.themes.Base:
    system = ["system-ui", "-apple-system", "Segoe UI", "Roboto", "sans-serif"]
    return gr.themes.Soft(
        primary_hue="indigo",
        neutral_hue="slate",
        spacing_size="sm",
        text_size="sm",
        font=system,
        font_mono=["ui-monospace", "Consolas", "monospace"],
    )
