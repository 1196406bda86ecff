// Pruned events (from rows of the index, without texts) → full ones while they are shown: their bytes are read, decoded, and
// put into the same objects, so that the graph shows what the logs contain. The least recently used are pruned again.

import type { Block, SessionEvent, ToolCallBlock, ToolResultBlock } from '../../model/event.ts'
import type { SessionGraph, ToolCall } from '../../model/session.ts'
import type { ByteSource, LogFile, SessionFiles } from '../../model/source.ts'
import { decodePiece } from '../../session/load.ts'

/** Records that are closer together than this are read at once. */
const gapBytes = 32 * 1024
const mostAtOnce = 4 * 1024 * 1024

/** The content of an event in one of its two forms. */
interface Form {
  blocks: Block[]
  detail: SessionEvent['detail']
  misfits: SessionEvent['misfits']
  record: SessionEvent['record']
  stated: SessionEvent['stated']
  /** Fields of the blocks that are the same objects in both. */
  parts: [block: Block, fields: object][]
}

interface Forms {
  pruned: Form
  full: Form
}

export function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

export class Hydration {
  private readonly source: ByteSource
  private readonly files: SessionFiles
  private readonly logs: ReadonlyMap<string, LogFile>
  private readonly sideByName: ReadonlyMap<string, string>
  private calls: ReadonlyMap<string, ToolCall> = new Map()
  private answered: ReadonlyMap<string, readonly ToolCall[]> = new Map()
  /** Full ones that may be pruned again, the least recently used first. */
  private readonly cached = new Map<SessionEvent, Forms>()
  private readonly pinned = new Map<SessionEvent, Forms>()
  private bytes = 0

  constructor(files: SessionFiles, source: ByteSource) {
    this.source = source
    this.files = files
    this.logs = new Map(files.logs.map(log => [log.path, log]))
    const spilled = files.side.filter(({ kind }) => kind === 'tool-result')
    this.sideByName = new Map(spilled.map(({ path }) => [nameOf(path), path]))
  }

  /** The graph of these events: its calls get their inputs from them. */
  bind({ toolCalls }: SessionGraph): void {
    this.calls = new Map(toolCalls.map(call => [`${call.requestEvent} ${call.id}`, call]))
    const answered = new Map<string, ToolCall[]>()
    for (const call of toolCalls) {
      if (call.resultEvent === undefined) continue
      addTo(answered, call.resultEvent, call)
    }
    this.answered = answered
    for (const [event, { full }] of [...this.pinned, ...this.cached]) this.take(event, full)
  }

  /** Before a graph is built, which is always of pruned events. */
  prune(): void {
    for (const [event, { pruned }] of [...this.pinned, ...this.cached]) this.take(event, pruned)
  }

  /** `isPinned`: they stay full. Events that are full already cost nothing. */
  async fill(events: Iterable<SessionEvent>, isPinned = false): Promise<void> {
    const missing = new Set<SessionEvent>()
    for (const event of events) {
      const forms = this.cached.get(event)
      if (forms !== undefined) {
        this.cached.delete(event)
        this.cached.set(event, forms)
      } else if (!this.pinned.has(event)) missing.add(event)
    }
    for (const run of runsOf([...missing])) await this.fillRun(run, isPinned)
  }

  /** Prunes the least recently used, until at most this many bytes are full. */
  trim(mostBytes: number): void {
    for (const [event, { pruned }] of this.cached) {
      if (this.bytes <= mostBytes) return
      this.cached.delete(event)
      this.bytes -= event.source.bytes
      this.take(event, pruned)
    }
  }

  private async fillRun(run: readonly SessionEvent[], isPinned: boolean): Promise<void> {
    const [first] = run
    const log = first === undefined ? undefined : this.logs.get(first.source.file)
    if (first === undefined || log === undefined) return
    const from = first.source.offset
    const to = run.reduce((end, { source }) => Math.max(end, source.offset + source.bytes), from)
    const bytes = await readRange(this.source, log, from, to)
    for (const event of run) {
      if (this.cached.has(event) || this.pinned.has(event)) continue
      const start = event.source.offset - from
      const own = bytes.subarray(start, start + event.source.bytes)
      const decoded = decodePiece(log, this.files.id, event, own)
      if (decoded === null) continue
      const forms = formsOf(event, decoded)
      this.take(event, forms.full)
      if (isPinned) this.pinned.set(event, forms)
      else {
        this.cached.set(event, forms)
        this.bytes += event.source.bytes
      }
    }
  }

  private take(event: SessionEvent, { parts, ...fields }: Form): void {
    Object.assign(event, fields)
    for (const [block, fields] of parts) setFields(block, fields)
    for (const block of fields.blocks) {
      if (block.type === 'tool-call') {
        const call = this.calls.get(`${event.id} ${block.callId}`)
        if (call !== undefined) call.input = block.input
      } else if (block.type === 'tool-result') this.setSpill(event, block)
    }
  }

  /** The path in the log may be another machine's, or from before a move: the file's name is enough. */
  private setSpill(event: SessionEvent, { spillFile, callId }: ToolResultBlock): void {
    if (spillFile === undefined) return
    for (const call of this.answered.get(event.id) ?? []) {
      if (call.id === callId) call.spillFile = this.sideByName.get(nameOf(spillFile)) ?? spillFile
    }
  }
}

/** Calls and results stay the same objects: others refer to them. */
function formsOf(event: SessionEvent, decoded: SessionEvent): Forms {
  const { blocks, detail, misfits, record, stated } = event
  const pruned: Form = { blocks, detail, misfits, record, stated, parts: [] }
  const full: Form = { ...pruned, blocks: [], record: decoded.record, stated: decoded.stated, parts: [] }
  if (decoded.detail !== undefined) Object.assign(full, { detail: decoded.detail, misfits: decoded.misfits })
  const known = event.blocks.filter(isPart)
  full.blocks = decoded.blocks.map(block => {
    if (!isPart(block)) return block
    const place = known.findIndex(part => part.type === block.type && part.callId === block.callId)
    const [part] = place < 0 ? [] : known.splice(place, 1)
    if (part === undefined) return block
    pruned.parts.push([part, { ...part }])
    full.parts.push([part, { ...block }])
    return part
  })
  return { pruned, full }
}

function isPart(block: Block): block is ToolCallBlock | ToolResultBlock {
  return block.type === 'tool-call' || block.type === 'tool-result'
}

/** Also deletes the fields of the other form. */
function setFields(block: Block, fields: object): void {
  for (const name of Object.keys(block)) if (!(name in fields)) Reflect.deleteProperty(block, name)
  Object.assign(block, fields)
}

/** Events of one file whose records are close together. */
export function* runsOf(events: readonly SessionEvent[]): Generator<SessionEvent[]> {
  const sorted = [...events].sort((one, other) => {
    if (one.source.file !== other.source.file) return one.source.file < other.source.file ? -1 : 1
    return one.source.offset - other.source.offset
  })
  let run: SessionEvent[] = []
  let end = 0
  for (const event of sorted) {
    const { file, offset, bytes } = event.source
    const first = run[0]?.source
    const isClose = first?.file === file && offset - end <= gapBytes && offset + bytes - first.offset <= mostAtOnce
    if (!isClose && run.length > 0) {
      yield run
      run = []
    }
    run.push(event)
    end = run.length === 1 ? offset + bytes : Math.max(end, offset + bytes)
  }
  if (run.length > 0) yield run
}

export async function readRange(source: ByteSource, log: LogFile, from: number, to: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source.read(log.generation, from, to)) chunks.push(chunk)
  const [only] = chunks
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks)
}

function nameOf(path: string): string {
  return path.replace(/^.*[\\/]/, '')
}
