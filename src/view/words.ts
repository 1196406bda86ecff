// Numbers, times and sizes as people read them, and small questions about text. It knows nothing of sessions, and nothing
// here escapes: painters do.

/** `167,710`. */
export function countText(count: number): string {
  return count.toLocaleString('en-US')
}

/** `1 file`, `3 files`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`
}

/** `480 ms`, `3.2 s`, `1 min 20 s`, `2 h 5 min`. */
export function durationText(millis: number): string {
  if (millis < 1000) return `${Math.max(0, Math.round(millis))} ms`
  if (millis < 59_950) return `${(millis / 1000).toFixed(millis < 9_950 ? 1 : 0)} s`
  const seconds = Math.round(millis / 1000)
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`
  const hours = Math.floor(minutes / 60)
  return minutes % 60 === 0 ? `${countText(hours)} h` : `${countText(hours)} h ${minutes % 60} min`
}

/** `812 B`, `1.5 kB`, `20 MB`. */
export function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let size = Math.max(0, bytes)
  let unit = 0
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000
    unit++
  }
  return `${unit === 0 || size >= 9.95 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`
}

/** The first line that is not blank, with an ellipsis where more follows. */
export function firstLine(text: string): string {
  const start = text.search(/\S/)
  if (start === -1) return ''
  const end = text.indexOf('\n', start)
  if (end === -1) return text.slice(start).trimEnd()
  const line = text.slice(start, end).trimEnd()
  return /\S/.test(text.slice(end)) ? `${line} …` : line
}

/** The text without the line ends around it; blanks at its start are kept, since they line things up. */
export function trimLines(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && (text[from] === '\n' || text[from] === '\r')) from++
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--
  return text.slice(from, to)
}

function isBlank(unit: number): boolean {
  return unit === 0x0a || unit === 0x0d || unit === 0x20 || unit === 0x09
}

/** `turn_duration`, `hookEvent` → `turn duration`, `hook event`. */
export function wordsOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .replace(/[_-]+/g, ' ')
    .trim()
}

/** What stands between `<tag …>` and `</tag>`, or up to the end where it is not closed; undefined without the tag. */
export function insideTag(text: string, tag: string): string | undefined {
  const open = text.indexOf(`<${tag}`)
  if (open === -1) return undefined
  const from = text.indexOf('>', open)
  if (from === -1) return undefined
  const to = text.indexOf(`</${tag}>`, from)
  return text.slice(from + 1, to === -1 ? undefined : to)
}
