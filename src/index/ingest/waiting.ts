// Sessions of a first index that are not kept as a whole yet. What is asked again and again while things are kept must not
// cost as much as all that there is.

import type { LiveFile } from '../../archive/capture/survey.ts'
import type { Catalog } from '../../archive/format/catalog.ts'
import { canonicalPlace } from '../../archive/store/place.ts'
import type { PlacedSession } from '../../disk/discover/merge.ts'
import type { Discovery, LogFile } from '../../model/source.ts'

interface Waiting {
  session: PlacedSession
  logs: readonly LogFile[]
  files: readonly LiveFile[]
}

export class WaitingSessions {
  private sessions: Waiting[]
  /** Of logs that belong to no session. */
  private readonly others: readonly LiveFile[]

  /** `survey`: what lies on disk. */
  constructor(
    sessions: readonly PlacedSession[],
    discoveries: readonly Pick<Discovery, 'histories' | 'strays'>[],
    survey: readonly LiveFile[],
  ) {
    const byPlace = new Map(survey.map(file => [file.place, file]))
    const filesOf = (logs: readonly LogFile[]) =>
      logs.flatMap(({ path }) => byPlace.get(path) ?? byPlace.get(canonicalPlace(path)) ?? [])
    this.sessions = sessions.map(session => {
      const logs = [...session.logs, ...session.twins]
      return { session, logs, files: filesOf(logs) }
    })
    this.others = discoveries.flatMap(({ histories, strays }) => filesOf([...histories, ...strays]))
  }

  /** Those of which something is kept, and the files that have to be known for them. */
  begun(catalog: Pick<Catalog, 'current'>): { sessions: PlacedSession[]; survey: LiveFile[] } {
    const begun = this.sessions.filter(({ files }) =>
      files.some(({ home, path }) => catalog.current(home, path) !== undefined),
    )
    return {
      sessions: begun.map(({ session }) => session),
      survey: [...begun.flatMap(({ files }) => files), ...this.others],
    }
  }

  /** Those that are kept as a whole need not be asked for again. */
  drop(isKept: (log: LogFile) => boolean): void {
    this.sessions = this.sessions.filter(({ logs }) => !logs.every(isKept))
  }
}
