// Takes long texts out of a line before it is parsed, where the index needs none of them: the structured copy of a tool's
// output, whose text stands in the message too. What is left has the same fields and types. It works on bytes, since not
// parsing is the point.

const mark = Buffer.from('"toolUseResult":{')
const agent = Buffer.from('"agentId":')
const quote = 0x22
const backslash = 0x5c

/** Shorter ones cost less to parse than to leave out. */
const longText = 256
/** Lines below this have nothing to gain. */
const shortLine = 1536

/** The line itself where there is nothing to leave out. */
export function leanLine(line: Uint8Array): Uint8Array {
  if (line.length < shortLine) return line
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.length)
  const start = bytes.indexOf(mark)
  // Within a text the quotes would be escaped. What a subagent was told and answered is compared with other texts.
  if (start < 1 || bytes[start - 1] === backslash || bytes.indexOf(agent, start) !== -1) return line
  const parts: Buffer[] = []
  let kept = 0
  for (let open = bytes.indexOf(quote, start + mark.length); open !== -1; ) {
    const close = closingQuote(bytes, open)
    if (close === -1) return line
    if (close - open > longText) {
      parts.push(bytes.subarray(kept, open + 1))
      kept = close
    }
    open = bytes.indexOf(quote, close + 1)
  }
  if (kept === 0) return line
  parts.push(bytes.subarray(kept))
  return Buffer.concat(parts)
}

/** A quote with an odd number of backslashes before it stands in the text. */
function closingQuote(bytes: Buffer, open: number): number {
  for (let at = bytes.indexOf(quote, open + 1); at !== -1; at = bytes.indexOf(quote, at + 1)) {
    let before = at - 1
    while (bytes[before] === backslash) before--
    if ((at - before) % 2 === 1) return at
  }
  return -1
}
