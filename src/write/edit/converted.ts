// A session in another dialect as the files that it becomes: its log, those of its subagents, and the stored outputs that go
// with it. What a dialect makes of events is decided in src/write/wire; here is added what the files next to a log lose.

import { jsonText } from '../../base/json.ts'
import type { SessionGraph } from '../../model/session.ts'
import type { AgentMeta, LogFile, SessionFiles, SideFile } from '../../model/source.ts'
import { type ConvertOptions, convertSession, type WrittenAgent, type WrittenSession } from '../wire/convert.ts'
import type { WireDialect } from '../wire/dialects.ts'
import type { Loss } from '../wire/new-event.ts'
import type { EditedFile, EditedSession } from './session.ts'

/** A session in another dialect, and what that cannot say. */
export interface Converted extends EditedSession {
  dialect: WireDialect
  /** In the order of the session; those of files next to the log last. */
  losses: Loss[]
  /** Those of subagents included. */
  records: number
  startedAt: string | null
  cwd: string | null
}

/** The session as the dialect writes it; nothing is written here. */
export function convertedSession(
  graph: SessionGraph,
  files: SessionFiles,
  dialect: WireDialect,
  options: ConvertOptions,
): Converted {
  const written = convertSession(graph, dialect, options)
  const { session, lines, agents, startedAt, cwd } = written
  const outputs = outputFiles(files)
  return {
    session,
    dialect,
    lines,
    files: [...agents.flatMap(agent => agentFiles(agent, written, files)), ...outputs.map(({ file }) => file)],
    losses: [...written.losses, ...sideLosses(written, files, new Set(outputs.map(({ side }) => side)))],
    records: lines.length + agents.reduce((sum, agent) => sum + agent.lines.length, 0),
    startedAt,
    cwd,
  }
}

/** The log of a subagent, with the file that says what it is. */
function agentFiles(written: WrittenAgent, { agents }: WrittenSession, { logs }: SessionFiles): EditedFile[] {
  const path = `subagents/agent-${written.agent}`
  const log: EditedFile = { path: `${path}.jsonl`, content: { lines: written.lines } }
  const stated = logs.find(({ nameAgent }) => nameAgent === (written.thread as string))?.meta
  const meta: AgentMeta = { ...stated, ...written.meta }
  const parent = agents.find(({ thread }) => (thread as string) === meta.parentAgentId)
  if (parent !== undefined) meta.parentAgentId = parent.agent
  if (Object.keys(meta).length === 0) return [log]
  return [log, { path: `${path}.meta.json`, content: { lines: [jsonText(meta)] } }]
}

/** Stored outputs keep their names, by which records and readers find them. */
function outputFiles({ side }: SessionFiles): { side: SideFile; file: EditedFile }[] {
  const named = new Map<string, { side: SideFile; file: EditedFile }>()
  for (const one of side) {
    const path = `tool-results/${nameOf(one)}`
    if (one.kind === 'tool-result' && !named.has(path))
      named.set(path, { side: one, file: { path, content: { copyOf: one.path } } })
  }
  return [...named.values()]
}

/** What is next to the log and has no place in the new one. */
function sideLosses(
  { session, agents }: WrittenSession,
  { side, logs }: SessionFiles,
  copied: ReadonlySet<SideFile>,
): Loss[] {
  const said = new Set(logs.filter(log => isWritten(log, agents)).map(({ path }) => metaPath(path)))
  return side
    .filter(one => !copied.has(one) && !said.has(one.path))
    .map(one => ({ event: session, path: nameOf(one), why: 'a file next to the log: it stays where it is' }))
}

function isWritten({ nameAgent }: LogFile, agents: readonly WrittenAgent[]): boolean {
  return agents.some(({ thread }) => (thread as string) === nameAgent)
}

function metaPath(log: string): string {
  return log.replace(/\.jsonl$/, '.meta.json')
}

function nameOf({ path }: SideFile): string {
  return path.split(/[/\\]/).at(-1) ?? path
}
