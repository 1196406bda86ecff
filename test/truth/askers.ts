// What is asked of a home as a whole rather than of one session: days, projects, models, typed prompts, searches. sources.ts
// asks about sessions. The keys name what a fact is about, so that the same comparison serves both.

import { usage } from '../../src/library/library.ts'
import type { HistoryPrompt, ProjectRow, UsageRow } from '../../src/schema/contract-shapes.ts'
import type { Facts, Home, Report } from './sources.ts'

/** By the name of the one who was asked. */
export async function homeReports(home: Home): Promise<Map<string, Report>> {
  const reports = new Map<string, Report>()
  for (const flags of [[], ['--no-index']]) {
    const how = flags.length === 0 ? '' : ' --no-index'
    for (const by of ['daily', 'monthly', 'project', 'model', 'session', 'tool', 'subagent'] as const) {
      const { [by]: rows = [] } = await home.json<Record<string, UsageRow[]>>('usage', by, ...flags)
      reports.set(`usage ${by}${how} as rows`, usageReport(by, rows))
    }
    const { projects } = await home.json<{ projects: ProjectRow[] }>('ls', 'projects', ...flags)
    reports.set(`ls projects${how}`, new Map(projects.map(row => [`project ${keyOfProject(row)}`, projectFacts(row)])))
    const { prompts } = await home.json<{ prompts: HistoryPrompt[] }>('history', ...flags)
    // The web app names the session only where it can be opened.
    const opened = prompts.map(({ session, ...prompt }) => ({
      ...prompt,
      ...(session !== undefined && (prompt.onDisk || prompt.inArchive === true) && { session }),
    }))
    reports.set(`history${how}`, historyReport(opened))
  }
  for (const word of words) {
    const { hits, total } = await home.json<Found>('search', word, '--all')
    const first = await home.json<Found>('search', word, '--limit', '1')
    const sessions = new Set(hits.map(hit => hit.session)).size
    reports.set(`search ${word} --all`, new Map([[`search ${word}`, { total: hits.length, sessions }]]))
    reports.set(`search ${word}: its total`, new Map([[`search ${word}`, { total }]]))
    // What it reads for one hit may be a part: then it says so.
    const claimed = first.isTotalLowerBound === true ? {} : { total: first.total }
    reports.set(`search ${word}: one hit`, new Map([[`search ${word}`, claimed]]))
  }
  await addWebReports(home, reports)
  for (const by of ['daily', 'project', 'model'] as const) {
    const answer = await usage({ ...home.options(), by })
    reports.set(`library: usage ${by}`, usageReport(by, answer[by] ?? []))
  }
  return reports
}

const words = ['the', 'error', 'cook OR bake OR peel']

interface Found {
  total: number
  isTotalLowerBound?: boolean
  hits: { session: string }[]
}

async function addWebReports(home: Home, reports: Map<string, Report>): Promise<void> {
  await home.served(async data => {
    for (const by of ['daily', 'monthly', 'project', 'model', 'session', 'tool', 'subagent']) {
      const { rows } = await data.answer('GET /api/usage', { by })
      const facts = rows.map((row): [string, Facts] => [
        `${by} ${row.key}`,
        { tokens: row.totalTokens, costUSD: row.totalCost },
      ])
      reports.set(`web usage ${by}`, new Map(facts))
    }
    const { prompts, total } = await data.answer('GET /api/history', { limit: '100000' })
    const report = historyReport(
      prompts.map(({ text, at, session }) => ({ text, at, ...(session !== undefined && { session }) })),
    )
    report.set('prompts', { total })
    reports.set('web history', report)
    const { projects } = await data.answer('GET /api/sessions', { limit: '1000' })
    const listed = projects.map(({ cwd, slug, name, sessions, lastUsed }): [string, Facts] => [
      `project ${cwd ?? slug}`,
      { name, sessions, endedAt: lastUsed },
    ])
    reports.set('web projects', new Map(listed))
    for (const word of words) {
      const found = await data.answer('GET /api/search', { q: word, limit: '100' })
      const facts = found.isTotalLowerBound ? {} : { total: found.total, sessions: found.sessionTotal }
      reports.set(`web search ${word}`, new Map([[`search ${word}`, facts]]))
    }
  })
}

function usageReport(by: string, rows: readonly UsageRow[]): Report {
  const keyOf = ({ date, period, project, model, session, tool, subagent }: UsageRow) =>
    date ?? period ?? session ?? project ?? model ?? tool ?? subagent ?? ''
  return new Map(rows.map(row => [`${by} ${keyOf(row)}`, { tokens: row.totalTokens, costUSD: row.totalCost }]))
}

function keyOfProject({ cwd, slug }: ProjectRow): string {
  return cwd ?? slug
}

function projectFacts({ name, sessions, lastUsed }: ProjectRow): Facts {
  return { name, sessions, endedAt: lastUsed }
}

/** Each prompt, and how many there are. */
function historyReport(prompts: readonly Pick<HistoryPrompt, 'text' | 'at' | 'session'>[]): Map<string, Facts> {
  const report = new Map<string, Facts>([['prompts', { total: prompts.length }]])
  for (const { text, at, session } of prompts) {
    const start = text.replace(/\s+/g, ' ').trim().slice(0, 60)
    const key = `prompt ${start} at ${at?.slice(0, 16)} in ${session}`
    report.set(key, { total: (report.get(key)?.total ?? 0) + 1 })
  }
  return report
}
