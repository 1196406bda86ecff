// Joins nested generators without recursion, so that a subagent inside a subagent, however deep, cannot overflow the stack.
// It knows neither Markdown nor HTML.

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
