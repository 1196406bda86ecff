// Reads HTML the way a suspicious person does: every tag must be one of ours, with attributes of ours, quoted, nested and
// closed in order. It is not a parser for HTML at large: whatever it does not know is an error.

export interface Tag {
  name: string
  attributes: Map<string, string>
}

const voidTags = new Set(['meta', 'br', 'hr', 'img'])
const everywhere = ['class', 'id', 'dir', 'tabindex', 'title', 'aria-label', 'aria-hidden', 'role']
const allowed: Record<string, string[]> = {
  html: ['lang'],
  meta: ['charset', 'http-equiv', 'content', 'name'],
  svg: ['width', 'height', 'viewbox'],
  circle: ['cx', 'cy', 'r'],
  path: ['d'],
  a: ['href', 'rel'],
  img: ['src', 'alt', 'loading'],
  time: ['datetime'],
  details: ['open'],
  pre: ['data-language'],
  div: ['data-n'],
  ol: ['start'],
}
const plainTags =
  'br hr head title style body header main nav section span b i p h1 h2 h3 h4 h5 h6 ul li dl dt dd table thead tbody tr th td code blockquote s em strong mark summary figure figcaption'
for (const name of plainTags.split(' ')) allowed[name] = []

/** All tags of the page, in order; throws at the first thing that is not ours. */
export function readTags(html: string): Tag[] {
  const tags: Tag[] = []
  const open: string[] = []
  if (!html.startsWith('<!doctype html>\n')) throw new Error('no doctype')
  const start = '<!doctype html>'.length
  for (let at = html.indexOf('<', start); at !== -1; at = html.indexOf('<', at)) {
    const end = html.indexOf('>', at)
    const text = html.slice(at, end + 1)
    at = end
    if (text.startsWith('</')) {
      const name = text.slice(2, -1)
      if (open.pop() !== name) throw new Error(`${text} closes what is not open`)
      continue
    }
    const tag = readTag(text)
    tags.push(tag)
    if (!voidTags.has(tag.name)) open.push(tag.name)
    // A style sheet is raw text: it ends at the first closing tag, whatever is before it.
    if (tag.name === 'style') at = html.indexOf('</style', at) - 1
  }
  if (open.length > 0) throw new Error(`left open: ${open.join(' ')}`)
  return tags
}

function readTag(text: string): Tag {
  const parts = /^<([a-z][a-z0-9]*)((?: [a-zA-Z-]+(?:="[^"<>]*")?)*)>$/.exec(text)
  if (parts === null) throw new Error(`not a tag of ours: ${text}`)
  const name = parts[1] ?? ''
  const names = allowed[name]
  if (names === undefined) throw new Error(`unknown tag: ${text}`)
  const attributes = new Map<string, string>()
  for (const found of (parts[2] ?? '').matchAll(/ ([a-zA-Z-]+)(?:="([^"]*)")?/g)) {
    const attribute = (found[1] ?? '').toLowerCase()
    if (!names.includes(attribute) && !everywhere.includes(attribute)) throw new Error(`unknown attribute: ${text}`)
    if (attributes.has(attribute)) throw new Error(`attribute given twice: ${text}`)
    attributes.set(attribute, found[2] ?? '')
  }
  return { name, attributes }
}

/** What of a page could act, load or lead somewhere that it must not; empty when it is safe. */
export function dangersIn(tags: readonly Tag[]): string[] {
  const dangers: string[] = []
  const ids = new Set<string>()
  for (const { name, attributes } of tags) {
    const href = attributes.get('href')
    if (href !== undefined && !isOwnAddress(href, attributes)) dangers.push(`href ${href}`)
    const source = attributes.get('src')
    if (source !== undefined && !/^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/.test(source)) {
      dangers.push(`${name} src ${source.slice(0, 80)}`)
    }
    const id = attributes.get('id')
    if (id !== undefined && (!/^[A-Za-z0-9._-]+$/.test(id) || ids.has(id))) dangers.push(`id ${id}`)
    if (id !== undefined) ids.add(id)
    for (const attribute of attributes.keys()) {
      if (attribute.startsWith('on') || attribute === 'style') dangers.push(`${name} ${attribute}`)
    }
  }
  return dangers
}

function isOwnAddress(href: string, attributes: ReadonlyMap<string, string>): boolean {
  if (/^#[A-Za-z0-9._-]+$/.test(href)) return true
  return /^(https?:\/\/|mailto:)[^\s"'<>]+$/i.test(href) && attributes.get('rel') === 'noreferrer noopener'
}
