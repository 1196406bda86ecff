// Pages for people whose request is refused or fails: what is wrong and what to do, readable without the app's own files,
// which they may not get. Programs get the same words as plain text.

import { createHash } from 'node:crypto'
import { escapeHtml } from '../../render/html/escape.ts'
import type { Problem } from '../api/api.ts'

/** A page has no image, no script and this one style. */
const style = `:root{color-scheme:light dark}
body{margin:0;padding:18vh 24px 48px;font:15px/22px system-ui,sans-serif;background:Canvas;color:CanvasText}
main{max-width:34rem;margin:0 auto}
h1{font-size:20px;line-height:28px;margin:0 0 12px}
p{margin:0 0 12px}
code{font:13px/20px ui-monospace,monospace;padding:1px 5px;border-radius:4px;background:color-mix(in srgb,CanvasText 9%,Canvas)}
small{color:color-mix(in srgb,CanvasText 70%,Canvas)}`

/** What a policy has to name so that the style may be used. */
export const pageStyleHash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`

/** Words between backticks are commands. `status` is shown for those who report it. */
export function problemPage(status: number, { error, hint }: Problem): string {
  const paragraphs = (hint ?? '').split('\n').filter(line => line !== '')
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeHtml(error)} · Clew</title><style>${style}</style></head>`,
    `<body><main><h1>${marked(error)}</h1>`,
    ...paragraphs.map(text => `<p>${marked(text)}</p>`),
    ...(status === 404 ? ['<p><a href="/">All sessions</a></p>'] : []),
    `<p><small>Clew, ${status}</small></p></main></body></html>`,
  ].join('\n')
}

function marked(text: string): string {
  return text
    .split('`')
    .map((part, at) => (at % 2 === 1 ? `<code>${escapeHtml(part)}</code>` : escapeHtml(part)))
    .join('')
}
