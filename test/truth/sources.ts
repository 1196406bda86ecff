// What reports facts of sessions: commands with and without an index, the web app, the reader of dropped files. Each gives what
// it reports of each session by the names of one list of facts, so that all can be compared with all.

import { dirname } from 'node:path'
import type { ShownDetail } from '../../src/answers/session/detail.ts'
import { discover } from '../../src/disk/discover/discover.ts'
import { mergeDiscoveries } from '../../src/disk/discover/resolve.ts'
import { diskSource } from '../../src/disk/read/read.ts'
import { getSession, getSessionInfo, listSessions } from '../../src/library/library.ts'
import type { Discovery, LogFile, SessionFiles } from '../../src/model/source.ts'
import type { Overview, SessionRow, Stats, Tree, UsageRow } from '../../src/schema/contract-shapes.ts'
import type { ServerData } from '../../src/server/api/data.ts'
import { openData } from '../../src/server/api/open-data.ts'
import { loadSession } from '../../src/session/load.ts'
import { graphReader } from '../../src/session/reading/graph-reader.ts'
import type { SessionHead } from '../../src/view/reading.ts'
import { clewHere } from '../cli/run.ts'
import { sample } from '../needs.ts'

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
  titleFrom?: string
  project?: string
  slug?: string
  tools?: string
  bytes?: number
  files?: number
  live?: boolean
  onDisk?: boolean
  archived?: boolean
  deletedOn?: string | null | undefined
  turns?: number
  failedCalls?: number
  /** Paths of files that tools read or changed. */
  filesTouched?: string
  /** The first minute, as text has it. */
  minute?: string | undefined
  /** Of what is not a session: how many there are, what it is called, whose it is. */
  total?: number
  sessions?: number
  name?: string
  session?: string | undefined
  /** The page of the session, and its Markdown. */
  html?: string
  markdown?: string
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
  private readonly roots: readonly string[]

  /** `others`: more roots that count. */
  constructor(root: string, own: string, others: readonly string[] = []) {
    this.root = root
    this.own = own
    this.roots = [root, ...others]
  }

  async json<Answer>(...args: string[]): Promise<Answer> {
    const { stdout, stderr } = await this.run([...args, '--json'])
    if (stdout === '') throw new Error(`clew ${args.join(' ')}: ${stderr}`)
    return JSON.parse(stdout)
  }

  /** A line of a subagent that two logs have is printed for each of them, and is one event; a repeated line is none. */
  async eventCount(session: string): Promise<number> {
    const { stdout } = await this.run(['events', session, '--json'])
    const events: { id: string; flags: string[] }[] = stdout
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line))
    const own = new Set(events.filter(({ flags }) => !flags.includes('embedded')).map(({ id }) => id))
    const isRepeated = ({ id, flags }: { id: string; flags: string[] }) =>
      flags.includes('copy') || (flags.includes('embedded') && own.has(id))
    // Logs of one session in several places may begin alike; lines without a uuid are known by their place in one.
    const met = new Set<string>()
    const isNew = ({ id }: { id: string }) => id.includes('@') || (!met.has(id) && met.add(id).size > 0)
    return events.filter(event => !isRepeated(event) && isNew(event)).length
  }

  async text(...args: string[]): Promise<string> {
    return (await this.run(args, { COLUMNS: '200', TZ: 'UTC' })).stdout
  }

  private run(args: readonly string[], more: Record<string, string> = {}): ReturnType<typeof clewHere> {
    const named = this.roots.length > 1 ? this.roots.flatMap(root => ['--root', root]) : []
    return clewHere([...args, ...named], { env: { CLEW_HOME: this.own, CLAUDE_CONFIG_DIR: this.root, ...more } })
  }

  /** Clew's own count, where Claude Code states no cost. */
  async statusline(id: string, path: string): Promise<{ session: { usd: number } | null }> {
    const input = JSON.stringify({ session_id: id, transcript_path: path })
    const env = { CLEW_HOME: this.own, CLAUDE_CONFIG_DIR: this.root }
    return JSON.parse((await clewHere(['statusline', '--json'], { input, env })).stdout)
  }

  /** For calls of the library. */
  options(): { roots: string[]; home: string } {
    return { roots: [...this.roots], home: this.own }
  }

  discovered(): Promise<Discovery[]> {
    return Promise.all(this.roots.map(root => discover(root)))
  }

  library(): Promise<SessionRow[]> {
    return listSessions(this.options())
  }

  /** The web app's data, while `use` runs. */
  async served<Answer>(use: (data: ServerData) => Promise<Answer>): Promise<Answer> {
    const data = await openData({ home: this.own, roots: this.roots, isReadOnly: true })
    try {
      // It answers when the index is up to date.
      await data.answer('GET /api/search', { q: 'anything' })
      return await use(data)
    } finally {
      await data.close()
    }
  }
}

const groupings = [
  'daily',
  'weekly',
  'monthly',
  'project',
  'model',
  'blocks',
  'tool',
  'subagent',
  'branch',
  'git-branch',
]

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
  const shown = [...(reports.get('ls') ?? [])].filter(([, facts]) => facts.events !== 0)
  const ids = shown.map(([id]) => id)
  reports.set('show', await each(ids, async id => detailFacts(await home.json('show', id))))
  reports.set('show --no-index', await each(ids, async id => detailFacts(await home.json('show', id, '--no-index'))))
  reports.set('stats', await each(ids, async id => statsFacts(await home.json('stats', id))))
  reports.set('events', await each(ids, async id => ({ events: await home.eventCount(id) })))
  reports.set('library', new Map((await home.library()).map(row => [row.id, rowFacts(row)])))
  for (const flags of [[], ['--no-index']]) {
    const { session } = await home.json<{ session: UsageRow[] }>('usage', 'session', ...flags)
    const facts = session.map((row): [string, Facts] => [row.session ?? '', { ...usageFacts(row), ...placeFacts(row) }])
    reports.set(`usage ${flags.join('')}`, new Map(facts))
  }
  // Comparing sessions shows what one copied: its file alone may not say so.
  const { sessions: rows } = await home.json<{ sessions: SessionRow[] }>('ls')
  const copies = new Set(rows.filter(row => (row.copiedEvents ?? 0) > 0).map(row => row.id))
  // What costs a command for each session is tried on a few of many.
  const some = ids.length > 12 ? sample(ids, 3) : ids
  for (const flags of [[], ['--no-index']]) {
    const how = flags.join('')
    const { sessions: latest } = await home.json<Overview>(...flags)
    reports.set(`overview ${how}`, new Map(latest.map(row => [row.id, rowFacts(row)])))
    reports.set(`show as text ${how}`, await each(some, async id => textFacts(await home.text('show', id, ...flags))))
    const tree = async (id: string) => {
      const { compactions, failedCalls, ...facts } = treeFacts(await home.json('tree', id, '--full', ...flags))
      // What of a turn was copied, and what followed, a tree does not say.
      return copies.has(id) ? facts : { ...facts, compactions, failedCalls }
    }
    reports.set(`tree ${how}`, await each(some, tree))
  }
  // Without the index, grep calls sessions as the ends of their files do, as a table of `ls` does.
  reports.set('grep', await each(some, async id => grepFacts(await home.json('grep', '.', id, '-l'))))
  const { hits } = await home.json<{ hits: Hit[] }>('search', 'kind:prompt OR kind:answer', '--all')
  reports.set('search', new Map(hits.map(hit => [hit.session, hitFacts(hit)])))
  for (const by of groupings) {
    const used = (id: string) => home.json<{ totals?: UsageRow }>('usage', by, '--session', id)
    reports.set(`usage ${by}`, await each(some, async id => totalFacts((await used(id)).totals)))
  }
  reports.set('documents', await each(some, id => documentFacts(format => home.text('show', id, '--format', format))))
  const options = home.options()
  reports.set('library: one', await each(some, async id => rowFacts(must(await getSessionInfo(id, options)))))
  reports.set('library: session', await each(some, async id => detailFacts(must(await getSession(id, options)))))
  const sessions = mergeDiscoveries(await home.discovered(), diskSource())
  const files = new Map(sessions.map(one => [one.id as string, one]))
  if (withStatusline) reports.set('statusline', await each(ids, id => statuslineFacts(home, files.get(id))))
  const onDisk = shown.filter(([, facts]) => facts.onDisk === true).map(([id]) => id)
  const alone = onDisk.filter(id => !copies.has(id))
  reports.set('dropped file', await each(alone, id => droppedFacts(files.get(id))))
  await home.served(async data => {
    const { sessions: listed } = await data.answer('GET /api/sessions', { limit: '1000' })
    reports.set('web list', new Map(listed.map(row => [row.id, rowFacts(row)])))
    const head = async (id: string) => {
      const facts = headFacts(await data.answer('GET /api/sessions/:id', {}, id))
      // Its compactions are those that are drawn, copied ones too.
      if (copies.has(id)) delete facts.compactions
      return facts
    }
    reports.set('web head', await each(ids, head))
    const first = async (id: string) => firstFacts(await data.answer('GET /api/sessions/:id/first', {}, id))
    reports.set('web first', await each(some, first))
    const errors = async (id: string) => (await data.answer('GET /api/sessions/:id/errors', {}, id)).errors.length
    reports.set('web errors', await each(some, async id => ({ errors: await errors(id) })))
    const touched = async (id: string) => (await data.answer('GET /api/sessions/:id/files', {}, id)).files
    reports.set('web files', await each(ids, async id => ({ filesTouched: pathsIn(await touched(id)) })))
    const page = async (id: string, format: string) =>
      (await data.answer('GET /api/sessions/:id/document', { format }, id)).text
    reports.set('web documents', await each(some, id => documentFacts(format => page(id, format))))
    const { rows } = await data.answer('GET /api/usage', { by: 'session' })
    reports.set('web usage', new Map(rows.map(row => [row.key, usageFacts(row)])))
  })
  return reports
}

export function pathsIn(files: readonly { path: string }[]): string {
  return files
    .map(({ path }) => path)
    .sort()
    .join('\n')
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
    ...{ titleFrom: row.titleFrom, project: row.project.name, slug: row.project.slug, tools: row.tools.join(' ') },
    ...{ bytes: row.bytes, files: row.files, live: row.live, onDisk: row.onDisk, archived: row.archived },
    deletedOn: row.deletedOn,
    cwd: row.project.cwd,
    errors: row.errors,
    models: row.models.join(' '),
    tokens: tokensIn(row.usage),
    tokensWithInherited: tokensIn(row.withInherited ?? row.usage),
    costUSD: row.costUSD,
  }
}

/** What a session has from another one is marked. */
function isOwn({ inherited }: { inherited?: boolean }): boolean {
  return inherited !== true
}

function detailFacts(detail: ShownDetail): Facts {
  const { title, startedAt, endedAt, toolCalls, threads, compactions, usage, withInherited = usage } = detail
  const { titleFrom, live, onDisk, archived } = detail
  const ownCalls = toolCalls.filter(isOwn)
  return {
    ...{ title, startedAt, endedAt, titleFrom, live, onDisk, archived },
    slug: detail.project.slug,
    turns: detail.turns.filter(isOwn).length,
    failedCalls: ownCalls.filter(({ status }) => status === 'failed').length,
    cwd: detail.project.cwd,
    toolCalls: ownCalls.length,
    subagents: threads.filter(one => isOwn(one) && one.kind === 'subagent' && one.internal !== true).length,
    compactions: compactions.filter(isOwn).length,
    models: detail.models.join(' '),
    tokens: tokensIn(usage),
    tokensWithInherited: tokensIn(withInherited),
    costUSD: usage.costUSD,
  }
}

/** As people read it: the head, and the last lines. */
function textFacts(text: string): Facts {
  const lines = text.split('\n')
  const about = lines.findLast(line => line.startsWith('contains ')) ?? ''
  const used = lines.findLast(line => line.startsWith('tokens ')) ?? ''
  const number = (what: RegExp) => Number((what.exec(about)?.[1] ?? '0').replaceAll(',', ''))
  return {
    minute: /^\d{4}-\d\d-\d\d \d\d:\d\d/.exec(lines[2] ?? '')?.[0],
    turns: number(/([\d,]+) turn/),
    toolCalls: number(/([\d,]+) call/),
    failedCalls: number(/([\d,]+) failed/),
    subagents: number(/([\d,]+) subagent/),
    compactions: number(/([\d,]+) compaction/),
    tokens: [...used.matchAll(/([\d,]+) (in|out|from cache|to cache)/g)]
      .map(([, count = '']) => Number(count.replaceAll(',', '')))
      .reduce((sum, count) => sum + count, 0),
  }
}

function treeFacts({ title, rows }: Tree) {
  const failed = rows.map(row => (row.kind === 'calls' ? (row.failed ?? 0) : 0))
  return {
    title,
    turns: rows.filter(row => row.kind === 'turn' && isOwn(row)).length,
    compactions: rows.filter(({ kind }) => kind === 'compaction').length,
    failedCalls: failed.reduce((sum, count) => sum + count, 0),
  }
}

function grepFacts({ sessions }: { sessions: { title: string }[] }): Facts {
  const [found] = sessions
  return found === undefined ? {} : { title: found.title }
}

interface Hit {
  session: string
  title: string
  project: { cwd: string | null; slug: string; name: string }
}

function hitFacts({ title, project }: Hit): Facts {
  return { title, cwd: project.cwd, slug: project.slug, project: project.name }
}

async function documentFacts(text: (format: 'html' | 'md') => Promise<string>): Promise<Facts> {
  return { html: (await text('html')).trimEnd(), markdown: (await text('md')).trimEnd() }
}

/** Of a long session, the first head comes from the index. */
function firstFacts({ head }: { head: SessionHead }): Facts {
  const { title, titleFrom, startedAt, endedAt, project, isLive: live, onDisk, isArchived: archived } = head
  return { title, titleFrom, startedAt, endedAt, cwd: project.cwd, project: project.name, live, onDisk, archived }
}

function must<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the library does not know a session that is listed')
  return value
}

function statsFacts({
  startedAt,
  endedAt,
  sessionMs,
  events,
  bytes,
  turns,
  compactions,
  tools,
  tokens,
  files,
}: Stats): Facts {
  return {
    filesTouched: pathsIn(files),
    ...{ startedAt, endedAt, events, bytes },
    turns: turns.count,
    minute: startedAt?.slice(0, 16).replace('T', ' '),
    failedCalls: tools.reduce((sum, tool) => sum + tool.failed, 0),
    durationMs: sessionMs.count === 0 ? undefined : sessionMs.sum,
    compactions: compactions.count,
    toolCalls: tools.reduce((sum, tool) => sum + tool.calls, 0),
    tokens: tokensIn(tokens),
  }
}

/** Without a message there is no total. */
function totalFacts(totals: UsageRow | undefined): Facts {
  return totals === undefined ? {} : usageFacts(totals)
}

/** A row has a cost also where no model has a price. */
function usageFacts({ totalTokens, totalCost }: Pick<UsageRow, 'totalTokens' | 'totalCost'>): Facts {
  return { tokens: totalTokens, costUSD: totalCost === 0 ? undefined : totalCost }
}

/** A session without a directory has the name of its folder there. */
function placeFacts({ title = '', project = '' }: UsageRow): Facts {
  return { title, cwd: /[\\/]/.test(project) ? project : null }
}

/** Where all logs are where Claude Code writes them: it names one, and subagents are in the folder of that name, or next to it. */
async function statuslineFacts(home: Home, files: SessionFiles | undefined): Promise<Facts> {
  const [main, ...others] = files?.logs ?? []
  if (files === undefined || main === undefined || main.nameSession !== files.id) return {}
  const folder = main.path.replace(/\.jsonl$/, '/')
  const isNear = ({ path, role }: LogFile) =>
    path.startsWith(folder) || (role === 'agent' && dirname(path) === dirname(main.path))
  if (!others.every(isNear)) return {}
  const { session } = await home.statusline(files.id, main.path)
  return session === null || session.usd === 0 ? {} : { costUSD: session.usd }
}

/** What a file alone does not say. */
const onlyInContext = [
  ...(['title', 'titleFrom', 'tokens', 'tokensWithInherited', 'costUSD', 'project', 'slug'] as const),
  ...(['live', 'onDisk', 'archived', 'deletedOn'] as const),
]

/** Only what the file itself says: its title may be in another file, and so may be whose messages it has. */
async function droppedFacts(files: SessionFiles | undefined): Promise<Facts> {
  if (files === undefined) return {}
  const reader = graphReader(await loadSession(diskSource(), files))
  const facts = headFacts(await reader.head())
  // As many as there are rows to stop at.
  facts.errors = (await reader.errors()).length
  facts.filesTouched = pathsIn(await reader.files())
  for (const known of onlyInContext) delete facts[known]
  return facts
}

function headFacts(head: SessionHead): Facts {
  const { title, startedAt, endedAt, gitBranch, counts, compactions, usage, withInherited = usage } = head
  const { titleFrom, isLive: live, onDisk, isArchived: archived, deletedOn } = head
  const { events, prompts, calls: toolCalls, errors, subagents } = counts
  return {
    ...{ title, startedAt, endedAt, gitBranch, events, prompts, toolCalls, errors, subagents },
    ...{ titleFrom, live, onDisk, archived, deletedOn, project: head.project.name, slug: head.project.slug },
    cwd: head.project.cwd,
    compactions: compactions.length,
    models: head.models.join(' '),
    tokens: tokensIn(usage),
    tokensWithInherited: tokensIn(withInherited),
    costUSD: usage.costUSD,
  }
}

/** Facts that differ, each with who reports what. */
export function disagreements(reports: ReadonlyMap<string, Report>): string[] {
  const found: string[] = []
  for (const id of new Set([...reports.values()].flatMap(report => [...report.keys()]))) {
    for (const [fact, values] of valuesOf(id, reports)) {
      if (values.size < 2) continue
      found.push(
        `${id} ${fact}: ${[...values].map(([text, names]) => `${text.slice(0, 400)} (${names.join(', ')})`).join(' | ')}`,
      )
    }
  }
  return found
}

/** By fact, then by value: the sources that report it. */
export function valuesOf(id: string, reports: ReadonlyMap<string, Report>): Map<string, Map<string, string[]>> {
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
