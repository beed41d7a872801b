/** The style of the panel. Colors and sizes use the custom properties of the search box. */
const CSS = `
[hidden]{display:none!important}
*{box-sizing:border-box}
button,textarea{font:inherit;color:inherit;margin:0}
button{cursor:pointer}
svg{width:1.15em;height:1.15em;fill:none;stroke:currentColor;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round;flex:none}
:focus-visible{outline:2px solid var(--nearfind-accent,#2563eb);outline-offset:2px}
.panel{
--background:var(--nearfind-background,#fff);--text:var(--nearfind-text,#1f2430);--muted:var(--nearfind-muted,#59606e);
--accent:var(--nearfind-accent,#1d4ed8);--line:var(--nearfind-border,#d5d9e0);--active:var(--nearfind-active,#e8eefc);
position:fixed;inset:0 0 0 auto;width:min(var(--nearfind-ask-width,30em),100vw);height:100dvh;max-width:none;max-height:none;margin:0;padding:0;border:0;border-inline-start:1px solid var(--line);
z-index:var(--nearfind-z,100);background:var(--background);color:var(--text);font-size:medium;line-height:1.5;font-weight:400;text-align:start;white-space:normal;text-transform:none;letter-spacing:normal;text-indent:0;text-shadow:none;box-shadow:var(--nearfind-shadow,0 0 2em #0004)}
.panel:dir(rtl){inset:0 auto 0 0}
[data-theme=dark]{color-scheme:dark;
--background:var(--nearfind-background,#1b1b1d);--text:var(--nearfind-text,#e8e8e8);--muted:var(--nearfind-muted,#adadad);
--accent:var(--nearfind-accent,#93b4ff);--line:var(--nearfind-border,#404040);--active:var(--nearfind-active,#2b3245)}
[data-theme=light]{color-scheme:light}
.panel[data-open]{display:flex;flex-direction:column}
.panel:not([data-open]){display:none}
.head{display:flex;align-items:center;gap:.4em;padding-block:.5em;padding-inline:1em .5em;border-bottom:1px solid var(--line)}
.head h2{flex:1;margin:0;font-size:1em}
.quiet{display:grid;place-items:center;min-width:2em;min-height:2em;padding:.15em .4em;font-size:.9em;border:0;border-radius:.4em;background:none;color:var(--muted)}
.quiet:hover{color:var(--text);background:var(--active)}
.log{flex:1;min-height:0;overflow:auto;overscroll-behavior:contain;padding:.5em 1em;overflow-wrap:anywhere}
.log>:not(:first-child){border-top:1px solid var(--line);margin-top:1em;padding-top:.5em}
h3{font-size:1em;margin:.6em 0}
.question{white-space:pre-wrap}
.log :is(h3,p,li,td,th,blockquote,.place){unicode-bidi:plaintext;text-align:match-parent}
p,ul,ol,pre,blockquote,.table{margin:.6em 0}
ul,ol{padding-inline-start:1.6em}
blockquote{padding-inline-start:.8em;border-inline-start:3px solid var(--line);color:var(--muted)}
pre{direction:ltr;text-align:left;padding:.6em .8em;overflow:auto;background:var(--active);border-radius:.4em;font-size:.85em}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.92em}
p code,li code,td code{background:var(--active);border-radius:.25em;padding:0 .2em}
.table{overflow:auto}
table{border-collapse:collapse;font-size:.9em}
td,th{border:1px solid var(--line);padding:.2em .5em;text-align:start;vertical-align:top}
hr{border:0;border-top:1px solid var(--line)}
a{color:var(--accent);text-underline-offset:.2em}
.cite{display:inline-block;min-width:1.5em;margin-inline-start:.2em;padding:0 .3em;font-size:.75em;line-height:1.5;text-align:center;text-decoration:none;border:1px solid var(--line);border-radius:.3em;vertical-align:.15em}
.cite:hover{border-color:var(--accent)}
.unsupported{text-decoration:underline dotted;text-decoration-thickness:2px;text-underline-offset:.25em}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.note{color:var(--muted);font-size:.85em}
.quote{margin:.3em 0 .9em}
.quote .place{display:block;font-size:.85em;color:var(--muted)}
.sources{font-size:.9em}
.actions{display:flex;flex-wrap:wrap;gap:.3em 1em;font-size:.85em}
.text{border:0;background:none;padding:.1em 0;color:var(--accent);text-decoration:underline;text-underline-offset:.2em}
.log textarea{width:100%;min-height:6em;color:var(--text);background:var(--background);border:1px solid var(--line);font-size:.85em}
form{display:flex;align-items:end;gap:.5em;padding:.6em 1em;border-top:1px solid var(--line)}
form textarea{flex:1;min-width:0;resize:none;max-height:10em;field-sizing:content;padding:.4em .6em;color:var(--text);background:var(--background);border:1px solid var(--line);border-radius:var(--nearfind-radius,.6em)}
textarea::placeholder{color:var(--muted);opacity:1}
.send{padding:.4em .9em;border:1px solid var(--accent);border-radius:var(--nearfind-radius,.6em);background:none;color:var(--accent)}
.status{margin:0;padding:0 1em;color:var(--muted);font-size:.85em}
.status:empty{display:none}
@media (prefers-reduced-motion:no-preference){.panel[data-open]{animation:slide .15s ease-out}@keyframes slide{from{opacity:0;transform:translateX(1em)}}}
@media (max-width:40em){.panel{width:100vw}}
@media (pointer:coarse){.text,.send{min-height:2.75em}.quiet{min-width:2.75em;min-height:2.75em}.cite{min-width:2em;font-size:.9em}textarea{font-size:max(1em,16px)}}
@media (prefers-contrast:more){.panel{--muted:var(--text);--line:var(--text)}}
`;

let sheet: CSSStyleSheet | undefined;

/** Returns the style sheet that all panels share. A script creates it, so policies about inline styles do not apply. */
export function style(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
  }
  return sheet;
}
