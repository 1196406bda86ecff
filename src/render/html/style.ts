// The style sheet of an exported page: colours, page, items, print. No markup.

import { escapeHtml } from './escape.ts'

const thread = `
.turn{position:relative;padding:24px 0 4px 34px;content-visibility:auto;contain-intrinsic-size:auto 400px}
.turn::before{content:"";position:absolute;left:8px;top:0;bottom:0;width:2px;background:var(--thread)}
.turn.before::before{opacity:.4}
.daymark+.turn::before{top:34px}.daymark+.turn.before::before{top:0}
.p{position:relative;font-weight:600;font-size:16px;line-height:24px;letter-spacing:-.005em;padding:8px 0 12px}
.p .md{max-width:66ch}
.p::before{content:"";position:absolute;left:-31px;top:14px;width:12px;height:12px;border-radius:9px;background:var(--thread);box-shadow:0 0 0 3px var(--paper)}
.p .media{font-weight:400}.p .md code,.p pre{font-weight:400}.p blockquote,.p ul,.p ol{font-weight:500}
.p .aside{float:right;margin:0 8px 0 24px;font-weight:400;letter-spacing:0}
.p.given{font-size:14px;line-height:20px;font-weight:500;color:var(--soft);padding:2px 0 6px}.p.given::before{left:-19px;top:8px;width:8px;height:8px;background:var(--paper);box-shadow:inset 0 0 0 2px var(--agent)}
@media screen and (min-width:640px) and (min-height:520px){.p.short{position:sticky;top:0;z-index:2;background:linear-gradient(var(--paper) 84%,transparent)}}
.a{margin:4px 0 10px}.a .md{max-width:72ch}.a .aside{float:right;margin:0 8px 0 24px}.aside{display:flex;flex-wrap:wrap;gap:0 12px;align-items:baseline}
time{color:var(--faint);font-size:12px;font-weight:400;white-space:nowrap}
.end-of-thread{margin:0 0 0 34px;padding:14px 0;color:var(--faint);font-size:12px;position:relative}
.end-of-thread::before{content:"";position:absolute;left:-26px;top:0;height:24px;border-left:2px dotted var(--thread)}
.c{position:relative;font-size:13px;line-height:20px;margin:1px 0}
.row{display:grid;grid-template-columns:minmax(74px,max-content) minmax(0,1fr) auto;gap:0 12px;align-items:baseline;padding:3px 8px 3px 4px;margin-left:-4px;border-radius:6px}
summary.row:hover{background:var(--wash)}
.g{position:absolute;left:-24px;top:11px;width:14px;height:3px;border-radius:2px;background:var(--k)}
.row b{font-weight:600}.what{color:var(--soft);min-width:0}.row b.what{color:inherit;grid-column:1/3}
summary.row>.what::after{content:" ▸";color:var(--faint);font-family:system-ui,sans-serif}details[open]>summary.row>.what::after{content:" ▾"}
.what.mono{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}details[open]>summary>.what.mono{white-space:normal;overflow-wrap:anywhere}
.end{display:flex;gap:0 12px;justify-content:flex-end;flex-wrap:wrap}
.b{font:12px/20px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:var(--faint);white-space:nowrap;max-width:42ch;overflow:hidden;text-overflow:ellipsis}
.tone-good{color:var(--good)}.tone-bad{color:var(--bad)}.tone-warn{color:var(--warn)}.tone-accent{color:var(--prompt)}.tone-quiet{color:var(--faint)}.b.tone-plain{color:var(--ink)}
.c.failed>.row>.g{background:none;width:15px;height:15px;top:5px;left:-25px}
.c.failed>.row>.g::before,.c.failed>.row>.g::after{content:"";position:absolute;left:0;top:6px;width:15px;height:3px;border-radius:2px;background:var(--bad);transform:rotate(45deg)}.c.failed>.row>.g::after{transform:rotate(-45deg)}
.c.failed>.row b{color:var(--bad)}
.c.s-interrupted>.row>.g,.c.s-missing>.row>.g,.c.s-running>.row>.g{background:repeating-linear-gradient(90deg,var(--k) 0 3px,transparent 3px 6px)}
.c.removed>.row b,.c.removed>.row .what,.c.aborted>.row .what{text-decoration:line-through;color:var(--faint)}
.c.quiet>.row,.c.quiet>.row b{color:var(--faint);font-weight:500}.c.quiet>.row .what{color:var(--faint)}.c.quiet>.row>.g{width:7px;height:2px;opacity:.7}
.c.i-thinking>.row>.what{grid-column:1/3}.c.i-thinking .md{color:var(--soft);font-size:13.5px;line-height:21px}
.turn:not(.before)>.i-command:first-child>.row>.g{left:-31px;top:7px;width:12px;height:12px;border-radius:9px;background:var(--thread);box-shadow:0 0 0 3px var(--paper)}
.c.i-command>.row b{color:var(--prompt)}.c.i-interruption>.row b{color:var(--warn)}.c.i-interruption{--k:var(--warn)}
.run{margin:1px 0;font-size:12.5px;line-height:20px;position:relative}.run>summary{color:var(--faint);padding:3px 0}.run>summary::after{content:" ▸"}.run[open]>summary::after{content:" ▾"}
.run>summary::before{content:"";position:absolute;left:-23px;top:12px;width:7px;height:2px;background:repeating-linear-gradient(90deg,var(--system) 0 2px,transparent 2px 4px)}
.sub{position:relative;margin:2px 0 10px 4px;border-left:2px solid var(--agent);border-radius:18px 0 0 18px/22px 0 0 22px;padding:4px 0 6px 26px}
.sub::before{content:"";position:absolute;left:-29px;top:14px;width:27px;height:0;border-top:2px solid var(--agent);opacity:.55}
.sub.unsure{border-left-style:dotted}.sub.unsure::before{border-top-style:dotted}
.branch{margin:8px 0 12px;border:1px dashed var(--faint);border-radius:8px;padding:4px 12px 6px 30px}.branch>summary{font-size:13px;line-height:20px;margin-left:-18px;color:var(--soft)}.branch>summary b{margin-right:8px}.branch>summary::after{content:" ▸";color:var(--faint)}.branch[open]>summary::after{content:" ▾"}
.sub>summary{font-size:13px;line-height:20px;padding:2px 0}.sub>summary b{color:var(--agent);font-weight:600}.sub>summary::after{content:" ▸";color:var(--faint)}.sub[open]>summary::after{content:" ▾"}
.sub .a{font-size:14px;line-height:21px;color:var(--soft)}.sub .g{left:-27px}.sub .run>summary::before{left:-26px}
.sub .sub::before{left:-31px;width:29px}.sub .c.failed>.row>.g{left:-28px}
.note{color:var(--faint);font-weight:400}.deeper{font-size:13px;color:var(--soft);margin-top:8px}
.seam{position:relative;margin:22px 0 14px -34px;color:var(--soft);font-size:12.5px;line-height:20px}
.cutline{display:flex;align-items:flex-start;gap:12px;text-align:center;background:var(--paper)}.cutline::before,.cutline::after{content:"";flex:1 0 20px;border-top:1.5px dashed var(--seam);margin-top:9px}
.cutline span{min-width:0}.seam .inside{margin-left:34px}
.seam::before,.seam::after{content:"";position:absolute;left:1px;top:9px;width:16px;height:2px;background:var(--seam);transform:rotate(24deg);z-index:1}.seam::after{transform:rotate(-24deg)}
:target>.row,.p:target,.a:target{background:var(--wash)}:target{scroll-margin-top:12px}`

const opened = `
.inside{margin:2px 0 10px;padding:2px 0 2px 14px;border-left:2px solid var(--hair);display:flow-root}
.inside>*+*{margin-top:8px}
.label{display:block;color:var(--faint);font-size:12px;line-height:18px}.fold>summary .label{display:inline}
.fold>summary{color:var(--faint);font-size:12.5px}.fold>summary::after{content:" ▸"}.fold[open]>summary::after{content:" ▾"}
.out{white-space:pre-wrap;overflow-wrap:anywhere;color:var(--soft)}.out.tone-bad{color:var(--bad)}.out.tone-warn{color:var(--warn)}.out.tone-good{color:var(--good)}
.code{overflow-x:auto;tab-size:4;background:var(--wash);border-radius:6px;padding:8px 12px}.inside>.code,.numbered .code{background:none;padding:0;border-radius:0}
.inside>.code[data-language=bash] code::before{content:"$ ";color:var(--faint)}
.numbered{display:flex;gap:14px}.numbers{color:var(--faint);text-align:right;user-select:none;-webkit-user-select:none;flex:none}.numbered .code{flex:1;min-width:0}
.cut{color:var(--faint);font-size:12.5px;line-height:18px;font-style:italic;margin:4px 0}.cut code{font-style:normal}
.diff{overflow-x:auto;font:12.5px/18px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;tab-size:4}.lines{width:max-content;min-width:100%}
.l{white-space:pre;padding:0 12px 0 0}.l::before{content:attr(data-n);display:inline-block;width:44px;padding-right:12px;text-align:right;color:var(--faint);user-select:none;-webkit-user-select:none}
.hunk+.hunk{border-top:1px dashed var(--hair);margin-top:6px;padding-top:6px}
.add{background:var(--add)}.del{background:var(--del)}.l mark{color:inherit;border-radius:2px}.add mark{background:var(--addmark)}.del mark{background:var(--delmark)}
.check{list-style:none;padding:0;font-size:13.5px;line-height:21px}.check li{padding-left:24px;position:relative;color:var(--soft)}
.check li::before{content:"";position:absolute;left:2px;top:4px;width:12px;height:12px;border:1.5px solid var(--faint);border-radius:4px}
.check .done,.check .dropped{color:var(--faint)}.check .done::before{background:var(--good);border-color:var(--good)}.check .done::after{content:"";position:absolute;left:6px;top:6px;width:4px;height:7px;border:solid var(--paper);border-width:0 2px 2px 0;transform:rotate(40deg)}
.check .dropped{text-decoration:line-through}.check .active{color:var(--ink);font-weight:600}.check .active::before{border-color:var(--thread);background:linear-gradient(90deg,var(--thread) 50%,transparent 50%)}
.facts{display:grid;grid-template-columns:fit-content(24ch) minmax(0,1fr);gap:2px 14px;font-size:13px;line-height:20px}.facts>div{display:contents}.facts dt{color:var(--faint);min-width:60px;overflow-wrap:anywhere}.facts dd{white-space:pre-wrap;overflow-wrap:anywhere}
.media{color:var(--soft);font:12.5px/18px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}figure img{max-width:100%;max-height:70vh;border-radius:6px;border:1px solid var(--hair)}figcaption{color:var(--faint);font-size:12px}
.c1{color:var(--bad)}.c2{color:var(--good)}.c3{color:var(--warn)}.c4{color:var(--prompt)}.c5{color:var(--web)}.c6{color:var(--shell)}.cb{font-weight:700}.cd{opacity:.75}.ci{font-style:italic}.cu{text-decoration:underline}`

const prose = `
.md>*+*{margin-top:10px}.md p{white-space:pre-line}.md ul,.md ol{padding-left:24px}.md li+li{margin-top:2px}.md li>*{margin-top:4px}.md li>.code{margin:6px 0}
.md h3,.md h4,.md h5,.md h6{font-size:15px;line-height:22px;font-weight:650;letter-spacing:-.005em}.md h3{font-size:17px;line-height:24px}.md>h3:not(:first-child),.md>h4:not(:first-child){margin-top:20px}
.md code{background:var(--wash);border-radius:4px;padding:1px 4px;overflow-wrap:anywhere}.md pre code{background:none;padding:0;overflow-wrap:normal}
.md blockquote{border-left:2px solid var(--hair);padding-left:12px;color:var(--soft)}.md hr{border:0;border-top:1px solid var(--hair);margin:16px 0}
.wide{overflow-x:auto}.md table{border-collapse:collapse;font-size:13.5px;line-height:20px}.md th,.md td{text-align:left;padding:4px 16px 4px 0;border-bottom:1px solid var(--hair);vertical-align:top}.md th{font-weight:600;color:var(--soft)}.md .right{text-align:right}.md .center{text-align:center}
.md .task{list-style:none;position:relative}.md .task::before{content:"☐";position:absolute;left:-20px}.md .task.done::before{content:"☑"}
@media (max-width:560px){.turn:not(.before)>.i-command:first-child>.row>.g{left:-26px}.turn{padding-left:26px}.turn::before{left:5px}.p::before{left:-26px}.g{left:-19px;width:10px}.end-of-thread{margin-left:26px}.end-of-thread::before{left:-21px}.daymark{margin-left:26px}.seam{margin-left:-26px}.seam .inside{margin-left:26px}.seam::before,.seam::after{left:0;width:13px}
.row{grid-template-columns:auto minmax(0,1fr);gap:0 8px}.row .end{grid-column:1/-1;justify-content:flex-start}.row .end:empty{display:none}
.c.failed>.row>.g{left:-24px}.run>summary::before{left:-20px}.sub{padding-left:18px;margin-left:0}.sub::before{left:-21px;width:21px}.sub .g{left:-20px}.sub .sub::before{left:-20px;width:18px}.sub .c.failed>.row>.g{left:-22px}.sub .run>summary::before{left:-19px}.p.given::before{left:-14px}
.inside{padding-left:8px}.l::before{width:32px;padding-right:8px}.facts{grid-template-columns:minmax(0,1fr)}.facts dd+dt{margin-top:4px}}
`

const partsStyle = `${thread}${opened}${prose}`

interface Look {
  colour: number
  isBold: boolean
  isDim: boolean
  isItalic: boolean
  isUnderlined: boolean
}

const plain: Look = { colour: 0, isBold: false, isDim: false, isItalic: false, isUnderlined: false }

/** The text as HTML. */
export function colouredHtml(text: string): string {
  if (!text.includes('\u001b[')) return escapeHtml(text)
  // Split by a pattern with one group: texts at even places, codes at odd ones.
  const parts = text.split(/\u001b\[([0-9;]*)m/)
  let look = plain
  let html = ''
  parts.forEach((part, at) => {
    if (at % 2 === 1) look = changedLook(look, part)
    else if (part !== '') html += lookHtml(escapeHtml(part), look)
  })
  return html
}

function changedLook(before: Look, codes: string): Look {
  let look = { ...before }
  const numbers = codes.split(';').map(Number)
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0
    if (code === 0) look = { ...plain }
    else if (code === 1) look.isBold = true
    else if (code === 2) look.isDim = true
    else if (code === 3) look.isItalic = true
    else if (code === 4) look.isUnderlined = true
    else if (code === 22) look = { ...look, isBold: false, isDim: false }
    else if (code === 23) look.isItalic = false
    else if (code === 24) look.isUnderlined = false
    else if (code === 38 || code === 48) at += numbers[at + 1] === 2 ? 4 : 2
    else if (code === 39) look.colour = 0
    else if ((code >= 31 && code <= 36) || (code >= 91 && code <= 96)) look.colour = code % 10
    else if (code === 90) look.isDim = true
  }
  return look
}

function lookHtml(html: string, look: Look): string {
  const names: string[] = []
  if (look.colour > 0) names.push(`c${look.colour}`)
  if (look.isBold) names.push('cb')
  if (look.isDim) names.push('cd')
  if (look.isItalic) names.push('ci')
  if (look.isUnderlined) names.push('cu')
  return names.length === 0 ? html : `<span class="${names.join(' ')}">${html}</span>`
}

const colours = `
:root{color-scheme:light dark;
--paper:oklch(98.4% .006 85);--sheet:oklch(99.6% .003 85);--ink:oklch(25% .012 70);--soft:oklch(43% .012 70);--faint:oklch(51% .011 75);--hair:oklch(89.5% .008 80);--wash:oklch(96% .008 85);
--thread:oklch(55% .17 27);--prompt:oklch(45% .09 255);--shell:oklch(48% .08 195);--file:oklch(48% .1 140);--web:oklch(50% .1 290);--plan:oklch(50% .09 250);--system:oklch(58% .01 75);--seam:oklch(68% .12 80);--warn:oklch(50% .1 75);--bad:oklch(51% .19 25);--good:oklch(48% .11 145);
--add:oklch(95% .045 150);--addmark:oklch(88% .09 150);--del:oklch(95% .035 25);--delmark:oklch(89% .07 25);
--al:55%;--ac:.13}
@media screen and (prefers-color-scheme:dark){:root{
--paper:oklch(18% .008 70);--sheet:oklch(21% .009 70);--ink:oklch(91% .01 85);--soft:oklch(77% .012 80);--faint:oklch(66% .012 78);--hair:oklch(31% .01 75);--wash:oklch(23.5% .01 72);
--thread:oklch(67% .16 27);--prompt:oklch(76% .09 250);--shell:oklch(76% .08 195);--file:oklch(77% .1 140);--web:oklch(77% .09 290);--plan:oklch(76% .08 250);--system:oklch(60% .012 78);--seam:oklch(75% .11 80);--warn:oklch(80% .1 80);--bad:oklch(72% .16 25);--good:oklch(77% .11 145);
--add:oklch(27% .04 150);--addmark:oklch(38% .075 150);--del:oklch(27% .045 25);--delmark:oklch(40% .09 25);
--al:76%;--ac:.12}}
.h0{--agent:oklch(var(--al) var(--ac) 320)}.h1{--agent:oklch(var(--al) var(--ac) 60)}.h2{--agent:oklch(var(--al) var(--ac) 200)}.h3{--agent:oklch(var(--al) var(--ac) 280)}
.h4{--agent:oklch(var(--al) var(--ac) 130)}.h5{--agent:oklch(var(--al) var(--ac) 0)}.h6{--agent:oklch(var(--al) var(--ac) 240)}.h7{--agent:oklch(var(--al) var(--ac) 95)}
:root{--agent:oklch(var(--al) var(--ac) 320)}`

const page = `
*{box-sizing:border-box}
html{scroll-padding-top:24px;-webkit-text-size-adjust:100%}
body{margin:0;font:15px/22px system-ui,sans-serif;background:var(--paper);color:var(--ink);overflow-wrap:break-word}
p,h1,h2,h3,h4,h5,h6,ul,ol,dl,dd,pre,figure,blockquote{margin:0}
code,pre,.mono,time,.numbers{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:12.5px;line-height:18px}
a{color:inherit;text-decoration-color:var(--faint);text-underline-offset:2px}a:hover{text-decoration-color:currentColor}
:focus-visible{outline:2px solid var(--thread);outline-offset:2px;border-radius:3px}
summary{cursor:pointer;list-style:none}summary::-webkit-details-marker{display:none}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:-9999px}.skip:focus{left:12px;top:8px;background:var(--sheet);padding:4px 8px;z-index:3}
.top{display:flex;align-items:center;gap:20px;height:44px;padding:0 20px;border-bottom:1px solid var(--hair);font-size:13px}
.logo{display:flex;gap:8px;align-items:center;font-weight:650;letter-spacing:-.01em}.logo svg{fill:none;stroke:var(--thread);stroke-width:1.5;stroke-linecap:round}
.crumb{color:var(--soft);white-space:nowrap;overflow:hidden;text-overflow:ellipsis;min-width:0}.crumb b{color:var(--ink);font-weight:600}
.page{display:grid;grid-template-columns:minmax(220px,288px) minmax(0,960px);justify-content:center;gap:0 36px;padding:0 20px}
main{padding:28px 0 96px;min-width:0}
.title h1{font-size:26px;line-height:34px;font-weight:650;letter-spacing:-.018em;max-width:34ch;text-wrap:balance}
.holds{color:var(--soft);margin-top:6px}
.about{margin-top:6px;font-size:13px;line-height:20px}.about>summary{color:var(--faint);width:max-content}.about>summary::after{content:" ▸"}.about[open]>summary::after{content:" ▾"}.about .facts{margin-top:8px}
.value{font:12.5px/20px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:var(--soft)}
.headnote{margin-top:12px;padding-left:12px;border-left:2px solid var(--seam);color:var(--soft);max-width:72ch}
.daymark{margin:36px 0 -12px 34px;color:var(--faint);font-size:12px}.daymark time{letter-spacing:.03em}
.index{position:sticky;top:0;align-self:start;max-height:100vh;overflow:auto;padding:28px 4px 28px 0;font-size:13px;line-height:18px;scrollbar-width:thin;scrollbar-color:var(--hair) transparent}
.index summary{color:var(--faint);padding:0 8px 8px;font-size:12px}
.index ol{list-style:none;padding:0;position:relative}
.index ol::before{content:"";position:absolute;left:12px;top:8px;bottom:12px;width:2px;background:var(--thread);opacity:.35}
.index a{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:2px 8px;padding:6px 8px 6px 28px;border-radius:7px;text-decoration:none;position:relative}
.index a:hover{background:var(--wash)}
.index a::before{content:"";position:absolute;left:8px;top:10px;width:10px;height:10px;border-radius:9px;background:var(--thread);box-shadow:0 0 0 2px var(--paper)}
.index .before a::before{background:var(--paper);box-shadow:inset 0 0 0 2px var(--thread)}
.index .w{display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden;overflow-wrap:anywhere}
.index time{color:var(--faint);font-size:11.5px}
.index .day{padding:10px 8px 4px 28px;color:var(--faint);font-size:11.5px;position:relative}.index .day:first-child{padding-top:0}
.ticks{grid-column:1/-1;display:flex;flex-wrap:wrap;gap:3px;align-items:center;padding:2px 0}
.ticks i{width:4px;height:9px;border-radius:1px;background:var(--k)}.ticks i.failed{background:var(--bad);height:13px}
.ticks i.loop{width:10px;height:10px;border-radius:9px;background:none;border:2px solid var(--k)}.ticks i.cutmark{width:12px;height:2px;background:var(--seam);transform:rotate(-45deg)}
.ticks .more{color:var(--faint);font-size:11px;line-height:12px;margin-left:3px}
.k-shell{--k:var(--shell)}.k-file{--k:var(--file)}.k-web{--k:var(--web)}.k-agent{--k:var(--agent)}.k-plan{--k:var(--plan)}.k-system{--k:var(--system)}
@media (max-width:1020px){.page{display:block;padding:0 16px;max-width:960px;margin:0 auto}main{padding-top:20px}
.index{position:static;max-height:none;overflow:visible;padding:16px 0 0;border-bottom:1px solid var(--hair)}.index ol{max-height:30vh;overflow:auto;margin-bottom:12px}
.index ol::before{display:none}.index summary{padding:0 0 8px}.index summary::after{content:" ▸"}.index details[open] summary::after{content:" ▾"}}
@media (max-width:560px){.page{padding:0 12px}.top{padding:0 12px;gap:12px}.title h1{font-size:22px;line-height:28px}}
`

// Last, since paper overrides what the screen needs.
const paper = `
@media print{:root{color-scheme:light;--paper:#fff}.top,.index,.skip{display:none}.page{display:block;padding:0}main{padding:0}body{font-size:10.5pt;line-height:1.45}
details::details-content{content-visibility:visible;display:block;height:auto}.turn{content-visibility:visible}.p{position:static;break-after:avoid}.c,.diff,pre{break-inside:auto}pre{white-space:pre-wrap}.numbers{display:none}.l{white-space:pre-wrap}.lines{width:auto}.code{overflow:visible}}
`

export const styleSheet = `${colours}${page}${partsStyle}${paper}`
