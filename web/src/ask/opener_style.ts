/** The style of the button that opens the panel. Until the panel opens, the page has only the button. */
const CSS = `
:host{display:inline-block;font:var(--nearfind-font,inherit);text-align:start}
:host([hidden]){display:none}
button{font:inherit;color:inherit;margin:0;cursor:pointer}
kbd{font:600 .75em/1.4 ui-monospace,monospace;border:1px solid;border-radius:.3em;padding:0 .35em}
svg{width:1.15em;height:1.15em;fill:none;stroke:currentColor;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round;flex:none}
.opener{display:inline-flex;align-items:center;gap:.5em;padding:.4em .7em;border:1px solid color-mix(in srgb,currentColor 35%,transparent);border-radius:var(--nearfind-radius,.6em);background:var(--nearfind-button,transparent)}
.opener:hover{border-color:currentColor}
:focus-visible{outline:2px solid var(--nearfind-accent,#2563eb);outline-offset:2px}
@media (pointer:coarse){kbd{display:none}}
@media (max-width:40em){.opener span{position:absolute;clip-path:inset(50%)}}
`;

/** Returns the style sheet of the button. */
export function openerStyle(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(CSS);
  return sheet;
}
