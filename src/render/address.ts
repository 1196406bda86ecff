// Which addresses from a log may become links, and which data may become a picture. Everything else stays text.

/** Web and mail addresses without anything that could end an attribute or be read differently by a browser. */
export function isSafeAddress(href: string): boolean {
  return /^(?:https?:\/\/[^/\s]|mailto:[^/\s])/i.test(href) && !/[\s\p{C}"'<>\\^`{}]/u.test(href)
}

/** How each picture begins, in base64: a file of another kind under a picture's name is not shown. */
const beginnings: ReadonlyMap<string, string> = new Map([
  ['image/png', 'iVBORw0KGgo'],
  ['image/jpeg', '/9j/'],
  ['image/gif', 'R0lGOD'],
  ['image/webp', 'UklGR'],
])

/** A `data:` address that shows this picture, or null where it is none of the four kinds or no clean base64. */
export function pictureAddress(mediaType: string, data: string): string | null {
  const beginning = beginnings.get(mediaType)
  const clean = /\s/.test(data) ? data.replace(/\s+/g, '') : data
  if (beginning === undefined || !clean.startsWith(beginning)) return null
  if (clean.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(clean)) return null
  return `data:${mediaType};base64,${clean}`
}
