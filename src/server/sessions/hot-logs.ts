// The logs of one session that is being read, held as events: what was appended since is decoded, nothing else. A log that was
// rewritten is read anew.

import { FileTail } from '../../disk/watch/state.ts'
import { buildGraph } from '../../graph/graph.ts'
import type { SessionGraph } from '../../model/session.ts'
import type { ByteSource, LogFile, SessionFiles } from '../../model/source.ts'
import { GrowingLog, graphFile } from '../../session/load.ts'

interface HeldLog {
  log: GrowingLog
  /** Reads on; absent where the file is only in the archive. */
  tail?: FileTail
  generation: string
}

export class HotLogs {
  private held = new Map<string, HeldLog>()
  private graphMade: { graph: SessionGraph; stamp: string } | null = null

  /** Bytes that were decoded. */
  get bytes(): number {
    let sum = 0
    for (const { log } of this.held.values()) sum += log.bytes
    return sum
  }

  /** The graph of the files at their length now. `stamp`: equal as long as they are. */
  async graph(files: SessionFiles, source: ByteSource, stamp: string): Promise<SessionGraph> {
    if (this.graphMade?.stamp === stamp) return this.graphMade.graph
    const held = new Map<string, HeldLog>()
    for (const log of files.logs) held.set(log.path, await this.read(log, files, source))
    this.held = held
    const graph = buildGraph(
      files.id,
      files.logs.map(log => graphFile(log, held.get(log.path)?.log.events() ?? [])),
      files.side,
    )
    this.graphMade = { graph, stamp }
    return graph
  }

  private async read(file: LogFile, session: SessionFiles, source: ByteSource): Promise<HeldLog> {
    const known = this.held.get(file.path)
    if (known !== undefined && known.log.bytes <= file.size && isSameLife(known, file) && readOn(known, file.size)) {
      return known
    }
    const log = new GrowingLog(file, session.id)
    let last: Uint8Array = new Uint8Array(0)
    for await (const chunk of source.read(file.generation, 0, Number.POSITIVE_INFINITY)) {
      log.push(chunk)
      last = chunk
      // Others may want an answer meanwhile.
      await new Promise(resolve => setImmediate(resolve))
    }
    const held: HeldLog = { log, generation: file.generation }
    if (file.isKept !== true) held.tail = new FileTail(file.path, log.bytes, last.slice(-256))
    return held
  }
}

/** What is kept does not grow here; what is on disk is compared by its bytes. */
function isSameLife({ tail, generation }: HeldLog, file: LogFile): boolean {
  return tail === undefined ? generation === file.generation : file.isKept !== true
}

/** False where it has to be read anew. */
function readOn({ log, tail }: HeldLog, size: number): boolean {
  if (tail === undefined) return true
  try {
    for (let isLast = log.bytes >= size; !isLast; ) {
      const read = tail.read(size)
      if (read === 'rewritten') return false
      if (read.bytes.length > 0) log.push(read.bytes)
      isLast = read.isLast
    }
    return true
  } catch {
    return false
  }
}
