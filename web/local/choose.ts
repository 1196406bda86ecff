// Which of the dropped files are read together as one session: a main file with the agent files of the same session. It
// reads only the beginnings of agent files and the small files that say what started them.

import { asNumber, asString, isObject, parseJson } from '../../src/base/json.ts'
import { decodeText } from '../../src/decode/decode.ts'
import type { AgentMeta } from '../../src/model/source.ts'

export interface DroppedLog {
  file: File
  /** As it is shown: with its folder where a folder was dropped. */
  path: string
  role: 'session' | 'agent'
  /** The name without its ending. */
  stem: string
  agent?: string
  meta?: AgentMeta
}

const headBytes = 64 * 1024
const longestMeta = 64 * 1024
const logName = /\.jsonl$/i

/** The main file first. Rejects, in words for people, where nothing can be read as one session. */
export async function chooseLogs(files: readonly File[]): Promise<{ logs: DroppedLog[] }> {
  const logs = files.filter(file => logName.test(file.name) && !file.name.startsWith('._')).map(toLog)
  const mains = logs.filter(({ role }) => role === 'session')
  const agents = logs.filter(({ role }) => role === 'agent')
  const [only] = files
  // A single file is taken at its content, whatever it is called.
  if (logs.length === 0 && only !== undefined && files.length === 1) return { logs: [toLog(only)] }
  if (logs.length === 0) throw new Error('None of these is a .jsonl file.')
  if (mains.length > 1) {
    throw new Error(
      `These are ${mains.length} sessions. Drop one .jsonl file, or one with the agent files that belong to it.`,
    )
  }
  const [main] = mains
  if (main === undefined) return { logs: await Promise.all(agents.slice(0, 1).map(one => withMeta(one, files))) }
  const own = await Promise.all(
    agents.map(async agent => ((await belongsTo(agent, main)) ? withMeta(agent, files) : null)),
  )
  return { logs: [main, ...own.filter(agent => agent !== null)] }
}

function toLog(file: File): DroppedLog {
  const stem = file.name.replace(logName, '')
  const path = file.webkitRelativePath || file.name
  const agent = /^agent-(.+)$/i.exec(stem)?.[1]
  return agent === undefined ? { file, path, role: 'session', stem } : { file, path, role: 'agent', stem, agent }
}

/** By its folder, else by its records. */
async function belongsTo({ file, path }: DroppedLog, main: DroppedLog): Promise<boolean> {
  if (path.includes(`${main.stem}/`)) return true
  const head = new Uint8Array(await file.slice(0, headBytes).arrayBuffer())
  const sessions = decodeText(head).records.flatMap(({ value }) => asString(value?.['sessionId']) ?? [])
  return sessions.length === 0 || sessions.includes(main.stem)
}

/** `agent-x.meta.json` next to `agent-x.jsonl` names the call that started it. */
async function withMeta(log: DroppedLog, files: readonly File[]): Promise<DroppedLog> {
  const wanted = log.path.replace(logName, '.meta.json')
  const found = files.find(file => (file.webkitRelativePath || file.name) === wanted)
  if (found === undefined || found.size > longestMeta) return log
  const meta = metaOf(parseJson(await found.text()))
  return meta === undefined ? log : { ...log, meta }
}

function metaOf(value: unknown): AgentMeta | undefined {
  if (!isObject(value)) return undefined
  const meta: AgentMeta = {}
  for (const name of ['agentType', 'description', 'toolUseId', 'parentAgentId', 'model'] as const) {
    const text = asString(value[name])
    if (text !== undefined) meta[name] = text
  }
  const depth = asNumber(value['spawnDepth'])
  if (depth !== undefined) meta.spawnDepth = depth
  return meta
}
