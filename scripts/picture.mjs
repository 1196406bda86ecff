// Draws docs/clew.svg for the README: the real output of `clew` on the sample history, as a terminal would show it.
//   node scripts/picture.mjs            write
//   node scripts/picture.mjs --check    exit 1 when the picture is not what the tool prints now

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runLine, withDemo } from './docs-demo.mjs'
import { withBundle } from './docs-page.mjs'
import { projectRoot } from './source.mjs'

const target = join(projectRoot, 'docs/clew.svg')
const columns = 112
const lineHeight = 19
const charWidth = 8.4

/** Foreground colours of the SGR codes that the tool uses. */
const colours = { 31: '#e5534b', 32: '#57ab5a', 33: '#c69026', 35: '#b083f0', 36: '#39a7c7' }

/** As somebody sees it who told Claude Code to delete nothing. */
function overviewLines(demo) {
  writeFileSync(join(demo.home, '.claude/settings.json'), '{ "cleanupPeriodDays": 99999 }')
  const line = `export NO_COLOR= FORCE_COLOR=1 COLUMNS=${columns}; clew`
  const { code, stdout, stderr } = runLine(demo, line, join(projectRoot, 'dist/cli/main.js'))
  if (code !== 0) throw new Error(stderr)
  return stdout.trimEnd().split('\n')
}

function escapeXml(text) {
  return text.replace(/[&<>]/g, character => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character])
}

/** One line with SGR codes as tspans. After wide characters and gaps the position is set again, since fonts differ in width. */
function spansOf(line, columnsOf) {
  const style = { fill: '', weight: '', opacity: '' }
  let column = 0
  return line
    .split(/\u001b\[(\d+)m/)
    .map((part, index) => {
      if (index % 2 === 1) {
        applyCode(style, Number(part))
        return ''
      }
      const pieces = part.split(/( {2,})/).filter(piece => piece !== '')
      return pieces
        .map(piece => {
          const x = (20 + column * charWidth).toFixed(1)
          column += columnsOf(piece)
          return piece.trim() === '' ? '' : span(piece, x, style)
        })
        .join('')
    })
    .join('')
}

function span(text, x, style) {
  const attributes = Object.entries({ x, fill: style.fill, 'font-weight': style.weight, opacity: style.opacity })
  const written = attributes.filter(([, value]) => value !== '').map(([name, value]) => ` ${name}="${value}"`)
  return `<tspan${written.join('')}>${escapeXml(text)}</tspan>`
}

function applyCode(style, code) {
  if (code === 1) style.weight = '600'
  else if (code === 2) style.opacity = '0.6'
  else if (code === 22) Object.assign(style, { weight: '', opacity: '' })
  else if (code === 39) style.fill = ''
  else if (colours[code]) style.fill = colours[code]
}

function svgOf(lines, columnsOf) {
  const width = Math.round(columns * charWidth + 40)
  const height = lines.length * lineHeight + 56
  const rows = lines.map(
    (line, index) =>
      `<text x="20" y="${52 + index * lineHeight}" xml:space="preserve">${spansOf(line, columnsOf)}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="clew lists the sessions of the sample history">
<rect width="100%" height="100%" rx="10" fill="#22272e"/>
<circle cx="22" cy="20" r="6" fill="#e5534b"/><circle cx="42" cy="20" r="6" fill="#c69026"/><circle cx="62" cy="20" r="6" fill="#57ab5a"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#d1d7e0">
${rows.join('\n')}
</g>
</svg>
`
}

const svg = await withBundle({ width: 'src/base/width.ts' }, async folder => {
  const { columnsOf } = await import(pathToFileURL(join(folder, 'width.mjs')).href)
  return svgOf(['$ clew', ...(await withDemo(overviewLines))], columnsOf)
})
if (process.argv.includes('--check')) {
  if (!existsSync(target) || readFileSync(target, 'utf8') !== svg) {
    console.error('docs/clew.svg is not what the tool prints now. Run: node scripts/picture.mjs')
    process.exitCode = 1
  }
} else {
  writeFileSync(target, svg)
}
