// What reports facts of sessions: commands with and without an index, the web app, the reader of dropped files. Each gives what
// it reports of each session by the names of one list of facts, so that all can be compared with all.

import { discover } from '../../src/disk/discover/discover.ts'
import { mergeDiscoveries } from '../../src/disk/discover/resolve.ts'
import { diskSource } from '../../src/disk/read/read.ts'
import { listSessions } from '../../src/library/library.ts'
import type { SessionFiles } from '../../src/model/source.ts'
import type { SessionDetail, SessionRow, Stats, UsageRow } from '../../src/schema/contract-shapes.ts'
import type { ListedSession } from '../../src/server/api/api.ts'
import type { ServerData } from '../../src/server/api/data.ts'
import { openData } from '../../src/server/api/open-data.ts'
import { loadSession } from '../../src/session/load.ts'
import { graphReader } from '../../src/session/reading/graph-reader.ts'
import type { SessionHead } from '../../src/view/reading.ts'
import { clewHere } from '../cli/run.ts'

/** Facts of one session; a source reports some of them. Absent and undefined are the same. */
export interface Facts {
  title?: string
  startedAt?: string | null
  endedAt?: string | null
  durationMs?: number | undefined
  cwd?: string | null
  gitBranch?: string | undefined
  events?: number
  prompts?: number
  toolCalls?: number
  subagents?: number
  compactions?: number
  errors?: number
  models?: string
  tokens?: number
  tokensWithInherited?: number
  costUSD?: number | undefined
}

/** By session. */
export type Report = ReadonlyMap<string, Facts>

interface Tokens {
  inputTokens: number
  outputTokens: number
  cacheCreationTokens: number
  cacheReadTokens: number
}

export function tokensIn(usage: Tokens): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheCreationTokens + usage.cacheReadTokens
}

/** A home as a user with a Clew of their own has it. */
export class Home {
  readonly root: string
  private readonly own: string

  constructor(root: string, own: string) {
    this.root = root
    this.own = own
  }

  async json<Answer>(...args: string[]): Promise<Answer> {
    const env = { CLEW_HOME: this.own, CLAUDE_CONFIG_DIR: this.root }
    const { stdout, stderr } = await clewHere([...args, '--json'], { env })
    if (stdout === '') throw new Error(`clew ${args.join(' ')}: ${stderr}`)
    return JSON.parse(stdout)
  }

  async text(...args: string[]): Promise<string> {
    const env = { CLEW_HOME: this.own, CLAUDE_CONFIG_DIR: this.root, COLUMNS: '200' }
    return (await clewHere(args, { env })).stdout
  }

  /** Clew's own count, where Claude Code states no cost. */
  async statusline(id: string, path: string): Promise<{ session: { usd: number } | null }> {
    const input = JSON.stringify({ session_id: id, transcript_path: path })
    const env = { CLEW_HOME: this.own, CLAUDE_CONFIG_DIR: this.root }
    return JSON.parse((await clewHere(['statusline', '--json'], { input, env })).stdout)
  }

  library(): Promise<SessionRow[]> {
    return listSessions({ roots: [this.root], home: this.own })
  }

  /** The web app's data, while `use` runs. */
  async served<Answer>(use: (data: ServerData) => Promise<Answer>): Promise<Answer> {
    const data = await openData({ home: this.own, roots: [this.root], isReadOnly: true })
    try {
      // It answers when the index is up to date.
      await data.answer('GET /api/search', { q: 'anything' })
      return await use(data)
    } finally {
      await data.close()
    }
  }
}

/**
 * What every source reports, by its name. Makes the index on the way. `withStatusline`: answers have ids of their own, which
 * those of a stand-in for the API have not.
 */
export async function reportsOf(
  home: Home,
  { withStatusline }: { withStatusline: boolean },
): Promise<Map<string, Report>> {
  const reports = new Map<string, Report>()
  reports.set('ls --no-index', await list(home, '--no-index'))
  await home.text('index', 'refresh')
  reports.set('ls', await list(home))
  // Of a log without a record nothing can be shown.
  const ids = [...(reports.get('ls') ?? [])].filter(([, facts]) => facts.events !== 0).map(([id]) => id)
  reports.set('show', await each(ids, async id => detailFacts(await home.json('show', id))))
  reports.set('show --no-index', await each(ids, async id => detailFacts(await home.json('show', id, '--no-index'))))
  reports.set('stats', await each(ids, async id => statsFacts(await home.json('stats', id))))
  reports.set('library', new Map((await home.library()).map(row => [row.id, rowFacts(row)])))
  const { session } = await home.json<{ session: UsageRow[] }>('usage', 'session')
  reports.set('usage', new Map(session.map(row => [row.session ?? '', usageFacts(row)])))
  const { sessions: found } = await discover(home.root)
  const sessions = mergeDiscoveries([{ sessions: found } as Awaited<ReturnType<typeof discover>>], diskSource())
  const files = new Map(sessions.map(one => [one.id as string, one]))
  if (withStatusline) reports.set('statusline', await each(ids, id => statuslineFacts(home, files.get(id))))
  reports.set('dropped file', await each(ids, id => droppedFacts(files.get(id))))
  await home.served(async data => {
    const { sessions: listed } = await data.answer('GET /api/sessions', { count: '1000' })
    reports.set('web list', new Map(listed.map(row => [row.id, listedFacts(row)])))
    reports.set('web head', await each(ids, async id => headFacts(await data.answer('GET /api/sessions/:id', {}, id))))
  })
  return reports
}

async function each(ids: readonly string[], one: (id: string) => Promise<Facts>): Promise<Report> {
  const report = new Map<string, Facts>()
  for (const id of ids) report.set(id, await one(id))
  return report
}

async function list(home: Home, ...flags: string[]): Promise<Report> {
  const { sessions } = await home.json<{ sessions: SessionRow[] }>('ls', ...flags)
  return new Map(sessions.map(row => [row.id, rowFacts(row)]))
}

function rowFacts(row: SessionRow): Facts {
  const { title, startedAt, endedAt, durationMs, gitBranch, events, prompts, toolCalls, subagents, compactions } = row
  return {
    ...{ title, startedAt, endedAt, durationMs, gitBranch, events, prompts, toolCalls, subagents, compactions },
    cwd: row.project.cwd,
    errors: row.errors,
    models: row.models.join(' '),
    tokens: tokensIn(row.usage),
    tokensWithInherited: tokensIn(row.withInherited ?? row.usage),
    costUSD: row.costUSD,
  }
}

function detailFacts(detail: SessionDetail): Facts {
  const { title, startedAt, endedAt, toolCalls, threads, compactions, usage, withInherited = usage } = detail
  return {
    ...{ title, startedAt, endedAt },
    cwd: detail.project.cwd,
    toolCalls: toolCalls.length,
    subagents: threads.filter(({ kind, internal }) => kind === 'subagent' && internal !== true).length,
    compactions: compactions.length,
    models: detail.models.join(' '),
    tokens: tokensIn(usage),
    tokensWithInherited: tokensIn(withInherited),
    costUSD: usage.costUSD,
  }
}

function statsFacts({ startedAt, endedAt, sessionMs, events, compactions, tools, tokens }: Stats): Facts {
  return {
    ...{ startedAt, endedAt, events },
    durationMs: sessionMs.count === 0 ? undefined : sessionMs.sum,
    compactions: compactions.count,
    toolCalls: tools.reduce((sum, tool) => sum + tool.calls, 0),
    tokens: tokensIn(tokens),
  }
}

/** A row has a cost also where no model has a price. */
function usageFacts({ totalTokens, totalCost }: UsageRow): Facts {
  return { tokens: totalTokens, costUSD: totalCost === 0 ? undefined : totalCost }
}

/** Where all logs are where Claude Code writes them today: it names one, and subagents are in the folder of that name. */
async function statuslineFacts(home: Home, files: SessionFiles | undefined): Promise<Facts> {
  const [main, ...others] = files?.logs ?? []
  if (files === undefined || main === undefined || main.nameSession !== files.id) return {}
  const folder = main.path.replace(/\.jsonl$/, '/')
  if (others.some(({ path }) => !path.startsWith(folder))) return {}
  const { session } = await home.statusline(files.id, main.path)
  return session === null || session.usd === 0 ? {} : { costUSD: session.usd }
}

/** Only what the file itself says: its title may be in another file, and so may be whose messages it has. */
async function droppedFacts(files: SessionFiles | undefined): Promise<Facts> {
  if (files === undefined) return {}
  const reader = graphReader(await loadSession(diskSource(), files))
  const facts = headFacts(await reader.head())
  // As many as there are rows to stop at.
  facts.errors = (await reader.errors()).length
  for (const known of ['title', 'tokens', 'tokensWithInherited', 'costUSD'] as const) delete facts[known]
  return facts
}

function headFacts(head: SessionHead): Facts {
  const { title, startedAt, endedAt, gitBranch, counts, compactions, usage, withInherited = usage } = head
  const { events, prompts, calls: toolCalls, errors, subagents } = counts
  return {
    ...{ title, startedAt, endedAt, gitBranch, events, prompts, toolCalls, errors, subagents },
    cwd: head.project.cwd,
    compactions: compactions.length,
    models: head.models.join(' '),
    tokens: tokensIn(usage),
    tokensWithInherited: tokensIn(withInherited),
    costUSD: usage.costUSD,
  }
}

function listedFacts(row: ListedSession): Facts {
  const { title, startedAt, endedAt, gitBranch, prompts, calls: toolCalls, errors, subagents, compactions } = row
  return {
    ...{ title, startedAt, endedAt, gitBranch, prompts, toolCalls, errors, subagents, compactions },
    models: row.models.join(' '),
    tokens: row.tokens,
    tokensWithInherited: row.tokensWithInherited ?? row.tokens,
    costUSD: row.costUSD,
  }
}

/** Facts that differ, each with who reports what. */
export function disagreements(reports: ReadonlyMap<string, Report>): string[] {
  const found: string[] = []
  for (const id of new Set([...reports.values()].flatMap(report => [...report.keys()]))) {
    for (const [fact, values] of valuesOf(id, reports)) {
      if (values.size < 2) continue
      found.push(`${id} ${fact}: ${[...values].map(([text, names]) => `${text} (${names.join(', ')})`).join(' | ')}`)
    }
  }
  return found
}

/** By fact, then by value: the sources that report it. */
function valuesOf(id: string, reports: ReadonlyMap<string, Report>): Map<string, Map<string, string[]>> {
  const facts = new Map<string, Map<string, string[]>>()
  for (const [source, report] of reports) {
    for (const [fact, value] of Object.entries(report.get(id) ?? {})) {
      if (value === undefined) continue
      const values = facts.get(fact) ?? new Map<string, string[]>()
      facts.set(fact, values)
      // Prices are summed in billionths of a dollar.
      const text = typeof value === 'number' ? String(Math.round(value * 1e9) / 1e9) : JSON.stringify(value)
      values.set(text, [...(values.get(text) ?? []), source])
    }
  }
  return facts
}
