// Reads a sketch: one event per line, indented lines are its body. What the words mean is decided by the writers.
//
//   prompt@first: Fix the rounding        word, label, text
//   call Bash npm test                    these words take the rest of the line as it is
//   result:                               a body is text …
//     12 tests passed
//   agent Explore: Find the prices        … or events, for the words that hold a thread
//     say: Found three.

const nesting = new Set(['agent', 'aside', 'sidechain'])
const verbatim = new Set([
  'call',
  'also',
  'command',
  'bash',
  'state',
  'chain',
  'record',
  'attach',
  'progress',
  'file',
  'glue',
])
const headWords = new Set(['dialect', 'project', 'start', 'model', 'slug', 'session', 'option'])

/** A sketch as `head` (settings, word → rest of the line) and `events`. */
export function parseSketch(text, name) {
  const head = { name, options: new Set() }
  const events = []
  for (const event of parseEvents(text.replaceAll('\r\n', '\n').split('\n'), name)) {
    if (!headWords.has(event.word)) events.push(event)
    else if (event.word === 'option') head.options.add(event.rest)
    else head[event.word] = event.rest
  }
  return { head, events }
}

function parseEvents(lines, name) {
  const events = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at++]
    if (line.trim() === '' || line.startsWith('#')) continue
    const from = at
    while (at < lines.length && (lines[at].startsWith('  ') || lines[at].trim() === '')) at++
    const body = trimEnd(lines.slice(from, at).map(inner => inner.slice(2)))
    events.push(parseEvent(line, body, name))
  }
  return events
}

function parseEvent(line, body, name) {
  const match = /^([a-z][a-z-]*)(?:@([\w-]+))?(?:\s+|(?=:)|$)(.*)$/.exec(line)
  if (match === null) throw new Error(`${name}: cannot read "${line}"`)
  const [, word, label, rest] = match
  const event = { word, rest, args: [], text: '', body: body.join('\n') }
  if (label !== undefined) event.label = label
  const colon = verbatim.has(word) || headWords.has(word) ? -1 : rest.indexOf(':')
  if (colon >= 0) event.text = rest.slice(colon + 1).trim()
  event.args = (colon >= 0 ? rest.slice(0, colon) : rest).split(/\s+/).filter(part => part !== '')
  if (nesting.has(word)) event.events = parseEvents(body, name)
  else if (colon >= 0) event.text = [event.text, event.body].filter(part => part !== '').join('\n')
  else event.text = event.body
  return event
}

function trimEnd(lines) {
  let end = lines.length
  while (end > 0 && lines[end - 1].trim() === '') end--
  return lines.slice(0, end)
}
