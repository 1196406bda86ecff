// Joins nested generators of text, and of lines with prefixes (quotes, list items), without recursion, so that no depth
// overflows the stack. It escapes nothing.

/** Text, or a writer whose text comes at this place. */
export type Piece = string | Iterable<Piece>

/** The texts of all writers in order, gathered to chunks of at least `chunkLength` characters. */
export function* joinPieces(root: Iterable<Piece>, chunkLength = 16_384): Generator<string> {
  const stack: Iterator<Piece>[] = [root[Symbol.iterator]()]
  let chunk = ''
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.next()
    if (next.done === true) stack.pop()
    else if (typeof next.value !== 'string') stack.push(next.value[Symbol.iterator]())
    else chunk += next.value
    if (chunk.length >= chunkLength) {
      yield chunk
      chunk = ''
    }
  }
  if (chunk !== '') yield chunk
}

/** A blank line between blocks; several in a row count once. */
export const gap = { type: 'gap' } as const

/** Lines inside a quote or list item: the first one's prefix, and that of the others. */
interface Nested {
  first: string
  rest: string
  lines: Iterable<Line>
}
export type Line = string | typeof gap | Nested

interface Frame {
  lines: Iterator<Line>
  /** Prefix of this frame and all around it. */
  rest: string
  /** Prefix of its own first line, until that is written. */
  first: string | null
  outer: string
}

export function* joinLines(root: Iterable<Line>, chunkLength = 16_384): Generator<string> {
  const frames: Frame[] = [{ lines: root[Symbol.iterator](), rest: '', first: null, outer: '' }]
  // How many frames a waiting blank line is in; 0 where none waits.
  let gapDepth = 0
  let chunk = ''
  let isFirst = true
  for (let top = frames.at(-1); top !== undefined; top = frames.at(-1)) {
    const next = top.lines.next()
    if (next.done === true) {
      frames.pop()
      gapDepth = Math.min(gapDepth, frames.length)
    } else if (typeof next.value === 'string') {
      if (gapDepth > 0 && !isFirst) chunk += `${gapPrefix(frames, gapDepth)}\n`
      const prefix = linePrefix(frames)
      chunk += `${next.value === '' ? prefix.trimEnd() : prefix + next.value}\n`
      gapDepth = 0
      isFirst = false
    } else if ('type' in next.value) {
      gapDepth = gapDepth === 0 ? frames.length : Math.min(gapDepth, frames.length)
    } else {
      const { first, rest, lines } = next.value
      frames.push({ lines: lines[Symbol.iterator](), rest: top.rest + rest, first, outer: top.rest })
    }
    if (chunk.length >= chunkLength) {
      yield chunk
      chunk = ''
    }
  }
  if (chunk !== '') yield chunk
}

/** A frame that has not begun yet has no line of its own: the gap is before it. */
function gapPrefix(frames: readonly Frame[], depth: number): string {
  let begun = 1
  while (begun < depth && frames[begun]?.first === null) begun++
  return (frames[begun - 1]?.rest ?? '').trimEnd()
}

function linePrefix(frames: readonly Frame[]): string {
  const waiting = frames.findIndex(frame => frame.first !== null)
  if (waiting === -1) return frames.at(-1)?.rest ?? ''
  let prefix = frames[waiting]?.outer ?? ''
  for (const frame of frames.slice(waiting)) {
    prefix += frame.first ?? frame.rest.slice(frame.outer.length)
    frame.first = null
  }
  return prefix
}
