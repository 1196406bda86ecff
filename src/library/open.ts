/// <reference lib="esnext.disposable" preserve="true" />
// The handle of the library: its nouns, each question one of src/answers, asked when it is called. Nothing is printed and no
// one is asked; problems go to `onProblem`, errors are thrown. What an answer is, is decided in src/answers.

import { resolve } from 'node:path'
import type { ArchiveRun, RestoreReport } from '../answers/care/archive.ts'
import type { PrintedForgetting } from '../answers/care/forget.ts'
import type { ShownDetail } from '../answers/session/detail.ts'
import type { PrintedGrep } from '../answers/texts/grep-printed.ts'
import type { PrintedSearch } from '../answers/texts/search.ts'
import type { PrintedUsage } from '../answers/usage/report.ts'
import type { FindingGroup } from '../check/groups.ts'
import type { Finding } from '../model/finding.ts'
import type { Context, SessionGraph } from '../model/session.ts'
import type { SessionFiles } from '../model/source.ts'
import type {
  ArchiveStatus,
  CheckReport,
  ConvertReport,
  DoctorReport,
  HistoryPrompt,
  NewSession,
  ProjectRow,
  RepairReport,
  SessionRow,
  Stats,
  Tree,
} from '../schema/contract-shapes.ts'
import type { MakeUp } from '../session/make-up.ts'
import { type Ask, asking, type Handle } from './ask.ts'
import { messagesOf, type SessionMessage } from './messages.ts'
import {
  type CheckOptions,
  type ConvertOptions,
  checkNames,
  convertNames,
  type DocumentOptions,
  documentNames,
  type ForgetOptions,
  type ForkOptions,
  forgetNames,
  forkNames,
  type GrepFilter,
  grepNames,
  type HistoryFilter,
  historyNames,
  type ListFilter,
  listNames,
  type OpenOptions,
  openNames,
  type PageOptions,
  pageNames,
  type RepairOptions,
  type RestoreOptions,
  refuseUnknown,
  repairNames,
  restoreNames,
  type SearchFilter,
  searchNames,
  type TrimOptions,
  trimNames,
  type UsageFilter,
  usageNames,
} from './options.ts'

/** Sessions, projects, usage, texts, care and writing of the homes that were named. Each answer is as things are when it is given. */
export interface Clew {
  readonly sessions: ReturnType<typeof sessionsOf>
  readonly session: ReturnType<typeof sessionOf>
  readonly usage: ReturnType<typeof usageOf>
  readonly texts: ReturnType<typeof textsOf>
  readonly care: ReturnType<typeof careOf>
  readonly write: ReturnType<typeof writeOf>
  /** Waits for what is being answered; nothing can be asked afterwards. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Opens the homes. Close it when done, or write `await using clew = await open()`. */
export async function open(options: OpenOptions = {}): Promise<Clew> {
  refuseUnknown(options, openNames)
  const { ask, close } = await asking(options)
  return {
    sessions: sessionsOf(ask),
    session: sessionOf(ask),
    usage: usageOf(ask),
    texts: textsOf(ask),
    care: careOf(ask),
    write: writeOf(ask),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function sessionsOf(ask: Ask) {
  return {
    /** As `clew ls --json` lists them: the latest first, unless `sort` says otherwise. */
    list(filter: ListFilter = {}): Promise<SessionRow[]> {
      refuseUnknown(filter, listNames)
      const { dir, limit, offset, ...options } = filter
      return ask(async clew => {
        const { sessionRows } = await import('../answers/sessions/list.ts')
        if (dir === undefined) return sessionRows(clew, { ...filter })
        return pageOf(
          (await sessionRows(clew, options)).filter(row => isOf(row, dir)),
          { limit, offset },
        )
      })
    },
    /** The projects of the sessions that pass. */
    projects(filter: ListFilter = {}): Promise<ProjectRow[]> {
      refuseUnknown(filter, listNames)
      return ask(async clew => {
        const { listedProjects, listSessions } = await import('../answers/sessions/list.ts')
        return listedProjects(await listSessions(clew, { options: { ...filter }, isFull: true }))
      })
    },
    /** The row of the session that an id, the beginning of one, a title, a path or `last` names; undefined where none is. */
    find(word: string): Promise<SessionRow | undefined> {
      return ask(async clew => {
        const session = await found(word, clew)
        if (session === undefined) return undefined
        const [row] = await (await import('../answers/sessions/list.ts')).sessionRows(clew, {}, session.id)
        return row
      })
    },
  }
}

async function pageOf<Row>(
  rows: Row[],
  { offset, limit }: { offset?: number | undefined; limit?: number | undefined },
) {
  const { cutToPage, readLimit, readOffset } = await import('../answers/sessions/filters.ts')
  return cutToPage(rows, { offset: readOffset(offset), limit: readLimit(limit) })
}

/** Whether a session is one of a working directory. */
export function isOf({ project }: SessionRow, dir: string): boolean {
  return project.cwd !== null && resolve(project.cwd) === resolve(dir)
}

/** Undefined where no session has that name. */
async function found(word: string, clew: Handle): Promise<SessionFiles | undefined> {
  const { NotFoundError } = await import('../answers/error.ts')
  const { sessionOf } = await import('../answers/sessions/find.ts')
  return sessionOf(word, clew).catch((error: unknown) => {
    if (error instanceof NotFoundError) return undefined
    throw error
  })
}

/** `word`: as for `sessions.find`; an error where no session has that name. */
function sessionOf(ask: Ask) {
  const loaded = async (word: string, clew: Handle): Promise<{ session: SessionFiles; graph: SessionGraph }> => {
    const { sessionOf } = await import('../answers/sessions/find.ts')
    const { loadWhole } = await import('../answers/session/verdict.ts')
    const session = await sessionOf(word, clew)
    return { session, graph: await loadWhole(clew, session) }
  }
  const graphOf = (word: string): Promise<SessionGraph> => ask(async clew => (await loaded(word, clew)).graph)
  return {
    /** What `clew show --json` prints: turns, calls, threads, branches. */
    detail(word: string): Promise<ShownDetail> {
      return ask(async clew => {
        const { detailOf } = await import('../answers/session/detail.ts')
        const { session, graph } = await loaded(word, clew)
        return detailOf(graph, session, clew)
      })
    },
    /** All its events, and how they are linked. */
    graph: graphOf,
    /** The conversation along the active branch. */
    async messages(word: string, options: PageOptions = {}): Promise<SessionMessage[]> {
      refuseUnknown(options, pageNames)
      return pageOf(messagesOf(await graphOf(word)), options)
    },
    /** What a resume would send, and what it consists of. */
    context(word: string): Promise<{ context: Context; makeUp: MakeUp }> {
      return ask(async clew => {
        const { context, makeUp } = await (await import('../answers/session/context.ts')).contextOf(clew, word)
        return { context, makeUp: makeUp() }
      })
    },
    /** What `clew tree --full --json` prints. */
    tree(word: string): Promise<Tree> {
      return ask(async clew => (await (await import('../answers/session/tree.ts')).treeOf(clew, word)).tree)
    },
    /** What `clew stats --json` prints; of all sessions where none is named. */
    stats(word?: string): Promise<Stats> {
      return ask(async clew => (await (await import('../answers/session/stats.ts')).statsOf(clew, word)).stats)
    },
    /** The session as Markdown, a page of HTML, or JSON. */
    document(word: string, options: DocumentOptions = {}): Promise<string> {
      refuseUnknown(options, documentNames)
      const { format = 'md', full = false, thinking = false, timestamps = false } = options
      const query = { format, isFull: full, showsThinking: thinking, showsTimes: timestamps }
      return ask(async clew => {
        const { sessionOf } = await import('../answers/sessions/find.ts')
        const { documentOf } = await import('../answers/session/document.ts')
        return [...(await documentOf(clew, await sessionOf(word, clew), query))].join('')
      })
    },
  }
}

function usageOf(ask: Ask) {
  return {
    /** What `clew usage --json` prints: tokens and cost by day, or by what `by` says. */
    report(filter: UsageFilter = {}): Promise<PrintedUsage> {
      refuseUnknown(filter, usageNames)
      const { by, ...options } = filter
      return ask(async clew => {
        const { printedUsage, reportUsage } = await import('../answers/usage/report.ts')
        return printedUsage(await reportUsage(clew, by, options))
      })
    },
  }
}

function textsOf(ask: Ask) {
  return {
    /** What `clew search --json` prints. It refreshes the index first, and makes one where there is none. */
    search(query: string, filter: SearchFilter = {}): Promise<PrintedSearch> {
      refuseUnknown(filter, searchNames)
      return ask(async clew => {
        const { printedSearch, searchTexts } = await import('../answers/texts/search.ts')
        return printedSearch(query, await searchTexts(clew, query, { ...filter }))
      })
    },
    /** Every line that an expression matches, tool output and deleted sessions included, the latest session first. */
    grep(expression: string, filter: GrepFilter = {}): Promise<PrintedGrep> {
      refuseUnknown(filter, grepNames)
      const { session, ...options } = filter
      return ask(async clew => {
        const { grepLines } = await import('../answers/texts/grep.ts')
        const { readGrepQuery } = await import('../answers/texts/grep-query.ts')
        return grepLines(clew, readGrepQuery(clew, expression, session, options, true))
      })
    },
    /** What `clew history --json` prints: prompts that were typed, the oldest first; `limit` and `offset` count from the last one. */
    history(filter: HistoryFilter = {}): Promise<HistoryPrompt[]> {
      refuseUnknown(filter, historyNames)
      return ask(async clew => {
        const { historyOf, printedPrompts } = await import('../answers/texts/history.ts')
        return printedPrompts(await historyOf(clew, { ...filter }))
      })
    },
  }
}

/** `findings` in the order of files, `groups` the worst rule first. */
export type Checked = CheckReport & { findings: Finding[]; groups: FindingGroup[] }

function careOf(ask: Ask) {
  return {
    /** What `clew check --json` says of paths and sessions; of all homes where nothing is named. */
    check(words: readonly string[] = [], options: CheckOptions = {}): Promise<Checked> {
      refuseUnknown(options, checkNames)
      return ask(async clew => (await import('../answers/care/check.ts')).check(clew, { words, ...options }))
    },
    /** What `clew doctor --json` prints. */
    doctor(): Promise<DoctorReport> {
      return ask(async clew => (await import('../answers/care/doctor.ts')).examine(clew))
    },
    archive: archiveOf(ask),
  }
}

/** Copies that outlive the clean-up of Claude Code. Of these questions only `restore` writes in a Claude home. */
function archiveOf(ask: Ask) {
  return {
    /** What is archived, what is not yet, and what Claude Code will delete when. */
    status(): Promise<ArchiveStatus> {
      return ask(async clew => (await (await import('../answers/care/archive.ts')).archiveState(clew)).status)
    },
    /** Archives what is new. `failure` says why it stopped before the end. */
    run(): Promise<ArchiveRun> {
      return ask(async clew => {
        const { archiveNow, printedRun } = await import('../answers/care/archive.ts')
        return printedRun((await archiveNow(clew)).report)
      })
    },
    /** Puts files of sessions back: where they were, or in another folder. What is there already stays, unless `overwrite`. */
    restore(words: readonly string[], options: RestoreOptions = {}): Promise<RestoreReport> {
      refuseUnknown(options, restoreNames)
      const { to, generation, overwrite = false, keepTimes = false } = options
      return ask(async clew => {
        const { restore } = await import('../answers/care/archive.ts')
        const how = { isOverwriting: overwrite, keepsTimes: keepTimes }
        const where = { ...(to !== undefined && { to }), ...(generation !== undefined && { generation }) }
        return restore(clew, { sessions: words, ...where, ...how })
      })
    },
    /** Erases a session from archive and index; Claude Code's own files stay. With `dryRun` it says what would be erased. */
    forget(word: string, options: ForgetOptions = {}): Promise<PrintedForgetting> {
      refuseUnknown(options, forgetNames)
      return ask(async clew => {
        const { forgetSession } = await import('../answers/care/forget.ts')
        return forgetSession(clew, word, options.dryRun === true)
      })
    },
  }
}

/** What is written is a new session next to its origin, which stays as it is. `dryRun`: nothing is, and the answer says what would be. */
function writeOf(ask: Ask) {
  const queryOf = (word: string, { dryRun, force }: { dryRun?: boolean; force?: boolean }) => ({
    word,
    isDry: dryRun === true,
    isForced: force === true,
  })
  return {
    /** The session up to one of its events. */
    fork(word: string, options: ForkOptions = {}): Promise<NewSession> {
      refuseUnknown(options, forkNames)
      const { at, title } = options
      return ask(async clew => {
        const { fork } = await import('../answers/write/fork.ts')
        return (await fork(clew, { ...queryOf(word, options), at, title })).report
      })
    },
    /** A fork whose old and large outputs are notes, so that a resume sends no more than `budget` tokens. */
    trim(word: string, options: TrimOptions): Promise<NewSession> {
      refuseUnknown(options, trimNames)
      const { budget, title } = options
      return ask(async clew => {
        const { trim } = await import('../answers/write/fork.ts')
        return (await trim(clew, { ...queryOf(word, options), budget, title })).report
      })
    },
    /** A damaged session as one that Claude Code resumes complete. */
    repair(word: string, options: RepairOptions = {}): Promise<RepairReport> {
      refuseUnknown(options, repairNames)
      return ask(async clew => (await import('../answers/write/repair.ts')).repair(clew, queryOf(word, options)))
    },
    /** A session, or all in a folder, in another dialect. */
    convert(word: string, options: ConvertOptions): Promise<ConvertReport> {
      refuseUnknown(options, convertNames)
      const { to, out, check: checks = false } = options
      return ask(async clew => {
        const { convert } = await import('../answers/write/convert.ts')
        return convert(clew, { ...queryOf(word, options), to, out, checks })
      })
    },
  }
}
