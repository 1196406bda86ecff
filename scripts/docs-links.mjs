// Relative links of all Markdown files: the file exists, and the heading too. Links to the web are not followed.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filesUnder } from './source.mjs'

/**
 * @param {string} root
 * @returns {string[]} lines `file:line  what`
 */
export function checkLinks(root) {
  const anchors = new Map()
  const anchorsOf = path => {
    if (!anchors.has(path)) anchors.set(path, headingAnchors(readFileSync(path, 'utf8')))
    return anchors.get(path)
  }
  const pages = filesUnder(root).filter(path => path.endsWith('.md') && !path.startsWith('samples/home/'))
  return pages.flatMap(page =>
    linksOf(readFileSync(join(root, page), 'utf8')).flatMap(link => check(root, page, link, anchorsOf)),
  )
}

function check(root, page, { target, line }, anchorsOf) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith('//')) return []
  const [path, anchor] = target.split('#')
  const file = path === '' ? join(root, page) : join(root, dirname(page), decodeURIComponent(path))
  if (!existsSync(file)) return [`${page}:${line}  links to ${target}, which does not exist.`]
  if (!anchor || !file.endsWith('.md') || anchorsOf(file).has(anchor.toLowerCase())) return []
  return [`${page}:${line}  links to ${target}, but there is no such heading.`]
}

/** Links and images outside code, with their line: `[text](target)`, `[text]: target`. */
function linksOf(markdown) {
  return textLines(markdown).flatMap(({ text, line }) => {
    const inline = [...text.matchAll(/\]\(\s*<?([^()\s>]+(?:\([^()\s]*\)[^()\s>]*)*)>?(?:\s+"[^"]*")?\s*\)/g)]
    const reference = /^\s{0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)/.exec(text)
    return [...inline.map(match => match[1]), ...(reference ? [reference[1]] : [])].map(target => ({ target, line }))
  })
}

/** Lines that are prose: fenced blocks left out, code spans blanked. */
function textLines(markdown) {
  let fence = ''
  return markdown.split('\n').flatMap((text, index) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(text)?.[1]
    if (mark && fence === '') fence = mark
    else if (mark?.startsWith(fence)) fence = ''
    if (mark || fence !== '') return []
    return [{ text: text.replace(/(`+)(?!`).*?\1/g, ''), line: index + 1 }]
  })
}

/** The anchors that GitHub gives to headings: lower case, spaces to hyphens, punctuation dropped, doubles numbered. */
function headingAnchors(markdown) {
  const seen = new Map()
  const anchors = new Set([...markdown.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(match => match[1].toLowerCase()))
  for (const match of markdown.matchAll(/^#{1,6}\s+(.*?)\s*#*$/gm)) {
    const plain = match[1].replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    const slug = plain
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-')
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    anchors.add(count === 0 ? slug : `${slug}-${count}`)
  }
  return anchors
}
