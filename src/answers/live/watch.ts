// Follows sessions as they are written: which files are watched, whose lines are handed on, and since when. What is worth a line,
// and how it looks, is decided by who prints it.

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve, sep } from 'node:path'
import { foldersOf } from '../../disk/discover/folder-titles.ts'
import { type Watch, watchFiles } from '../../disk/watch/watch.ts'
import type { Finding } from '../../model/finding.ts'
import { recordedId } from '../../model/ids.ts'
import type { Clew } from '../clew.ts'
import { UserError } from '../error.ts'
import { typedPath } from '../paths.ts'
import { sessionOf } from '../sessions/find.ts'
import { homesOf } from '../settings.ts'
import { Follower, type WatchSink } from './follow.ts'
import type { FileFacts } from './watched-session.ts'

/** Which sessions are followed, and where. */
export interface WatchScope {
  roots: string[]
  wants(facts: FileFacts): boolean
  /** What is followed, for people. */
  what: string
  isOne: boolean
}

export interface FollowOptions {
  sink: WatchSink
  /** Events say the number of their line. */
  numbersLines: boolean
  isPolling: boolean
  /** Files changed. `handedOn`: until all that was new in them is. */
  onChange(handedOn: Promise<void>): void
  onProblem(finding: Finding): void
}

export interface Following {
  ready: Promise<void>
  stats: Watch['stats']
  /** Hands on what was written since then, before what is new. */
  begin(sinceMs: number): Promise<void>
  /** Ends the watch when everything is handed on. */
  end(): Promise<void>
}

export function followLogs(scope: WatchScope, options: FollowOptions): Following {
  const { sink, numbersLines, isPolling, onChange, onProblem } = options
  const follower = new Follower({ sink, wants: scope.wants, numbersLines })
  const watch = watchFiles({
    roots: scope.roots,
    isPolling,
    onChange: changes => {
      follower.take(changes)
      onChange(follower.idle())
    },
    onProblem,
  })
  return {
    ready: watch.ready,
    stats: () => watch.stats(),
    begin: sinceMs => follower.begin(watch.writtenSince(sinceMs), sinceMs),
    end: () => watch.close().then(() => follower.idle()),
  }
}

/** `word` names the session; all of them where absent. `mayWait`: it need not exist yet. */
export async function watchScope(clew: Clew, word: string | undefined, mayWait: boolean): Promise<WatchScope> {
  const roots = rootsOf(clew)
  if (word === undefined) {
    if (mayWait) throw new UserError('--wait needs a session')
    return { roots, wants: () => true, what: 'all sessions', isOne: false }
  }
  const path = typedPath(word)
  try {
    const session = await sessionOf(word, clew)
    const recorded = recordedId(session.id)
    const isBelow = (place: string) => foldersOf(session).some(folder => place.startsWith(folder + sep))
    const isHere = session.logs.some(log => log.isArchiveOnly !== true)
    if (!isHere && !mayWait) throw new UserError(`${session.id} is no longer on disk`)
    return {
      roots: existsSync(path) ? [resolve(path)] : roots,
      wants: ({ session: id, log }) => id === recorded && (recorded === session.id || isBelow(log.path)),
      what: `session ${session.id}`,
      isOne: true,
    }
  } catch (error) {
    if (!mayWait || !(error instanceof UserError) || /[\\/]/.test(word)) throw error
    // Two sessions that begin alike are both followed: it is not known yet which is meant.
    const prefix = word.toLowerCase()
    const wants = ({ session }: FileFacts) => session.toLowerCase().startsWith(prefix)
    return { roots, wants, what: `a session ${word}`, isOne: false }
  }
}

/** As everywhere, but a home that is not there yet may come: the sample history is nothing to watch. */
function rootsOf(clew: Clew): string[] {
  const roots = homesOf(clew)
  return (roots.length > 0 ? roots : [`${homedir()}/.claude`]).map(root => resolve(root))
}
