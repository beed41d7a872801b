/**
 * The style of the box. Colors and sizes are custom properties that a page may set on the element, and its parts can be styled
 * with `::part`. Directions follow the text, so right-to-left languages need no extra rules.
 */
const CSS = `
:host{display:inline-block;font:var(--nearfind-font,inherit);text-align:start}
:host([hidden]){display:none}
[hidden]{display:none!important}
*{box-sizing:border-box}
button,input{font:inherit;color:inherit;margin:0}
button{cursor:pointer}
kbd{font:600 .75em/1.4 ui-monospace,monospace;border:1px solid;border-radius:.3em;padding:0 .35em}
svg{width:1.15em;height:1.15em;fill:none;stroke:currentColor;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round;flex:none}
.opener{display:inline-flex;align-items:center;gap:.5em;padding:.4em .7em;border:1px solid color-mix(in srgb,currentColor 35%,transparent);border-radius:var(--nearfind-radius,.6em);background:var(--nearfind-button,transparent)}
.opener:hover{border-color:currentColor}
:focus-visible{outline:2px solid var(--nearfind-accent,#2563eb);outline-offset:2px}
.box,dialog{
--background:var(--nearfind-background,#fff);--text:var(--nearfind-text,#1f2430);--muted:var(--nearfind-muted,#59606e);
--accent:var(--nearfind-accent,#1d4ed8);--line:var(--nearfind-border,#d5d9e0);--active:var(--nearfind-active,#e8eefc);--mark:var(--nearfind-mark,#fde68a)}
[data-theme=dark]{color-scheme:dark;
--background:var(--nearfind-background,#1b1b1d);--text:var(--nearfind-text,#e8e8e8);--muted:var(--nearfind-muted,#adadad);
--accent:var(--nearfind-accent,#93b4ff);--line:var(--nearfind-border,#404040);--active:var(--nearfind-active,#2b3245);--mark:var(--nearfind-mark,#705a10)}
[data-theme=light]{color-scheme:light}
dialog{font-size:medium;width:min(var(--nearfind-width,42em),100vw - 2em);max-width:none;max-height:none;margin:10vh auto auto;padding:0;border:0;background:none;overflow:visible}
dialog::backdrop{background:var(--nearfind-backdrop,#0a0f1a99)}
.box{color:var(--text);font-size:medium;line-height:1.45;font-weight:400;white-space:normal;text-transform:none;letter-spacing:normal;text-indent:0;text-shadow:none}
dialog .box,.inline .panel{background:var(--background);border:1px solid var(--line);border-radius:var(--nearfind-radius,.6em);box-shadow:var(--nearfind-shadow,0 1em 3em #0006)}
dialog .box{display:flex;flex-direction:column;max-height:80vh;overflow:hidden}
.inline{position:relative;width:var(--nearfind-width,100%);min-width:14em}
.inline .panel{position:absolute;inset-inline:0;top:calc(100% + .3em);max-height:70vh;min-width:min(30em,90vw);z-index:var(--nearfind-z,100)}
.inline .field{background:var(--background);border:1px solid var(--line);border-radius:var(--nearfind-radius,.6em)}
.panel{display:flex;flex-direction:column;min-height:0}
.field{display:flex;align-items:center;gap:.6em;padding:.35em .8em;color:var(--muted)}
dialog .field{border-bottom:1px solid var(--line)}
.field:focus-within{outline:2px solid var(--accent);outline-offset:-2px;border-radius:var(--nearfind-radius,.6em)}
input{flex:1;min-width:0;border:0;outline:0!important;background:none;padding:.45em 0;color:var(--text);appearance:none}
input::placeholder{color:var(--muted);opacity:1}
input::-webkit-search-cancel-button{display:none}
.quiet{display:grid;place-items:center;min-width:1.8em;min-height:1.8em;padding:.15em .3em;font-size:.9em;border:0;border-radius:.4em;background:none;color:var(--muted)}
.quiet:hover{color:var(--text);background:var(--active)}
.facets{flex:none;max-height:6.5em;overflow:auto}
.facet{display:flex;flex-wrap:wrap;align-items:center;gap:.35em;padding:.4em .8em 0;font-size:.85em;color:var(--muted)}
.choice{border:1px solid var(--line);border-radius:1em;padding:.1em .7em;background:none;color:var(--text)}
.choice:hover{border-color:var(--accent)}
.choice[aria-pressed=true]{background:var(--active);border-color:var(--accent)}
small{color:var(--muted);font-size:.9em}
.notes p{margin:0;padding:.5em .8em 0;color:var(--muted);font-size:.9em;overflow-wrap:anywhere}
.body{display:flex;min-height:0}
.list{flex:1;min-width:0;overflow:auto;overscroll-behavior:contain;padding:.4em;scroll-padding:.4em}
.option{display:grid;grid-template-columns:auto 1fr;gap:0 .6em;padding:.45em .6em;border-radius:.4em;color:inherit;text-decoration:none;cursor:pointer;scroll-margin:.2em}
.option>*{grid-column:2;min-width:0;overflow-wrap:anywhere}
.option>svg{grid-area:1/1;color:var(--muted);margin-top:.15em}
.image{grid-area:1/1/4;width:3em;height:3em;object-fit:cover;border-radius:.3em;margin-top:.15em}
.section{margin-inline-start:1.7em;padding-block:.25em}
.title,.place,.excerpt{unicode-bidi:plaintext;text-align:match-parent}
.title{font-weight:600}
.place{color:var(--muted);font-size:.85em}
.place:empty{display:none}
.excerpt{font-size:.9em;display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
.option:hover{background:color-mix(in srgb,var(--active) 55%,transparent)}
.option[aria-selected=true]{background:var(--active);box-shadow:inset 3px 0 var(--accent)}
:host(:dir(rtl)) .option[aria-selected=true]{box-shadow:inset -3px 0 var(--accent)}
mark{background:var(--mark);color:inherit;border-radius:.15em}
.recent{align-items:center;min-height:2.6em}
.recent .title{font-weight:400;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.recent>svg{margin:0}
.tools{padding:.4em .4em .4em 0}
.row{display:flex;align-items:center;min-height:2.6em}
.status{margin:0;padding:.45em .8em;color:var(--muted);font-size:.85em;overflow-wrap:anywhere}
.status:empty{display:none}
.actions{display:flex;flex-wrap:wrap;align-items:center;gap:.5em;padding:0 .8em .6em;font-size:.85em}
.actions:empty{display:none}
.text{border:0;background:none;padding:.1em 0;color:var(--accent);text-decoration:underline;text-underline-offset:.2em}
.hints{display:flex;gap:1.2em;padding:.4em .8em;border-top:1px solid var(--line);color:var(--muted);font-size:.8em}
@media (prefers-reduced-motion:no-preference){dialog[open]{animation:rise .12s ease-out}@keyframes rise{from{opacity:0;transform:translateY(-.4em)}}}
@media (max-width:40em){.opener span{position:absolute;clip-path:inset(50%)}dialog{width:100vw;height:100dvh;margin:0}dialog .box{height:100%;max-height:none;border:0;border-radius:0}.panel{flex:1}.body{flex:1}.status{margin-top:auto}}
@media (pointer:coarse){.hints,.opener kbd{display:none}.option,.text,.choice{min-height:2.75em;align-items:center}.quiet{min-width:2.75em;min-height:2.75em}input{font-size:max(1em,16px)}}
@media (prefers-contrast:more){.box,dialog{--muted:var(--text);--line:var(--text)}}
@media (forced-colors:active){.option[aria-selected=true],.choice[aria-pressed=true]{forced-color-adjust:none;background:Highlight;color:HighlightText}.option[aria-selected=true] *{color:HighlightText;background:none}mark{forced-color-adjust:none;background:Mark;color:MarkText}}
`;

let sheet: CSSStyleSheet | undefined;

/** Returns the style sheet that all elements share. A script creates it, so policies about inline styles do not apply. */
export function style(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
  }
  return sheet;
}
