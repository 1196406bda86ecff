// The style sheet of exported pages: colours in OKLCH for light and dark, one thread as the only ornament. No text from a
// log ever stands in it.

import { partsStyle } from './style-parts.ts'

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
