// Compares what lies on disk with what is kept, by one look per file: which files, and how many bytes of them, the next run
// would take or leave out. No content is read, so a file of equal size that was touched counts as changed.

import { basename, dirname, join } from 'node:path'
import type { FileFacts } from '../../disk/discover/facts.ts'
import { isLogName } from '../../disk/discover/project.ts'
import type { Discovery } from '../../model/source.ts'
import { Catalog, type Generation } from '../format/catalog.ts'
import type { Archive } from '../store/archive.ts'
import { canonicalPlace } from '../store/place.ts'
import { inOrder, sightOf } from './look.ts'
import { MovedFiles } from './moved.ts'
import { KeepRules } from './rules.ts'
import { leftOut, readSeen, type Sight, stateText } from './seen.ts'
import type { LiveFile } from './survey.ts'

/**
 * `new`: nothing of it is kept. `grown`: its end is not. `changed`: it is shorter or was touched, so that its content must
 * be compared. `excluded`, `forgotten`: a rule leaves it out.
 */
export type UnkeptReason = 'new' | 'grown' | 'changed' | 'excluded' | 'forgotten'

/** A live file with something that is not kept. */
export interface UnkeptFile {
  session?: string
  file: string
  /** Bytes that are not kept for sure; 0 where only a comparison can tell. */
  bytes: number
  reason: UnkeptReason
}

export interface LiveComparison {
  notKept: UnkeptFile[]
  /** Places of the files whose every byte is kept. */
  kept: Set<string>
}

export function compareWithKept(
  archive: Archive,
  files: readonly LiveFile[],
  options: { discoveries: readonly Discovery[]; exclude: readonly string[]; places: Places },
): LiveComparison {
  const catalog = archive.exists ? archive.manifest.catalog : new Catalog()
  const seen = readSeen(archive.layout)
  const owners = ownersByPlace(options.discoveries, options.places)
  const moved = new MovedFiles(catalog, files)
  const rules = new LeavingOut(options.exclude, catalog.forgotten)
  const found: LiveComparison = { notKept: [], kept: new Set() }
  for (const file of inOrder(files)) {
    const sight = sightOf(file, seen)
    const here = catalog.current(file.home, file.path)
    const owner = owners.get(file.place)
    const known = here ?? moved.takeNamed(file) ?? moved.take(file)
    const missing = missingOf(file, known, here !== undefined, sight, catalog)
    const rule = rules.reasonFor(file, factsFor(file, here, owner), sight)
    if (missing === null) found.kept.add(file.place)
    else {
      const { bytes, reason } = missing
      found.notKept.push({
        ...(owner !== undefined && { session: owner }),
        file: file.place,
        bytes,
        reason: rule ?? reason,
      })
    }
  }
  return found
}

/** Null where all of it is kept. */
function missingOf(
  file: LiveFile,
  known: Generation | undefined,
  isHere: boolean,
  sight: Sight | undefined,
  catalog: Catalog,
): { bytes: number; reason: 'new' | 'grown' | 'changed' } | null {
  const { size, identity, mtimeMs } = file.state
  if (known === undefined) return { bytes: size, reason: 'new' }
  if (catalog.broken.has(known.id)) return { bytes: size, reason: isHere ? 'changed' : 'new' }
  if (sight?.state === stateText(file.state) && catalog.generations.has(sight.generation)) return null
  if (size > known.size) return { bytes: size - known.size, reason: 'grown' }
  if (size < known.size) return { bytes: size, reason: 'changed' }
  const isTouched = known.identity !== identity || known.modifiedMs !== Math.trunc(mtimeMs)
  return isTouched ? { bytes: 0, reason: 'changed' } : null
}

/** Tells the two kinds of rules apart. */
class LeavingOut {
  private readonly forgotten: KeepRules
  private readonly excluded: KeepRules

  constructor(exclude: readonly string[], forgotten: ReadonlySet<string>) {
    this.forgotten = new KeepRules([], forgotten)
    this.excluded = new KeepRules(exclude, new Set())
  }

  /** Null where the file is to be kept. What the last run left out is believed: it had looked into the file. */
  reasonFor(file: LiveFile, facts: FileFacts | undefined, sight: Sight | undefined): 'excluded' | 'forgotten' | null {
    const isForgotten = this.forgotten.leavesOut(file.home, file.path, facts)
    const isExcluded = this.excluded.leavesOut(file.home, file.path, facts)
    if (isForgotten) return 'forgotten'
    const wasLeftOut = sight?.generation === leftOut && sight.state === stateText(file.state)
    return isExcluded || (wasLeftOut && !this.excluded.isEmpty) ? 'excluded' : null
  }
}

/** What is known of a log without a look into it. A prompt history belongs to no session. */
function factsFor(file: LiveFile, here: Generation | undefined, owner: string | undefined): FileFacts | undefined {
  if (!isLogName(file.path) || file.path === 'history.jsonl') return undefined
  if (here?.facts !== undefined) return here.facts
  return { isHistory: false, plans: [], ...(owner !== undefined && { session: owner }) }
}

function ownersByPlace(discoveries: readonly Discovery[], places: Places): Map<string, string> {
  const owners = new Map<string, string>()
  for (const { sessions } of discoveries) {
    for (const { id, logs, side } of sessions)
      for (const file of [...logs, ...side]) owners.set(places.of(file.path), id)
  }
  return owners
}

/** Where files really lie, asking the file system once per folder. */
export class Places {
  private readonly folders = new Map<string, string>()

  of(path: string): string {
    const folder = dirname(path)
    let place = this.folders.get(folder)
    if (place === undefined) {
      place = canonicalPlace(folder)
      this.folders.set(folder, place)
    }
    return join(place, basename(path))
  }
}
