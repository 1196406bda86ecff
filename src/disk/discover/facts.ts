// What discovery looks for in a log, found once, for the archive to store with the bytes. It stores nothing
// itself.

import { basename } from 'node:path'
import type { ByteSource } from '../../model/source.ts'
import { firstOwnField } from '../read/ends.ts'
import {
  type EndsGlance,
  emptyGlance,
  glanceAtEnds,
  type LogEnds,
  planNamesAtEnds,
  windowBytes,
  withEndsOf,
  withoutDoubt,
} from '../read/peek.ts'
import { roleOf, stemOf } from './project.ts'
import type { FoundFile, KnownFacts } from './tree.ts'

/** Plain data, so that it can be stored and returned as `known` by a tree. */
export interface FileFacts extends KnownFacts {
  /** The first working directory that a record in the head names. */
  cwd?: string
}

/** The facts of one generation under the name that its file has. Throws what the source throws. */
export async function factsOf(file: FoundFile, source: ByteSource): Promise<FileFacts> {
  const name = sessionName(file.path)
  if (file.size === 0) return { ...emptyGlance(name), plans: [] }
  const { seen, plans, cwd } = withEndsOf(file, source, ends => lookAt(ends, name))
  const { session, firstMs, isHistory } = await withoutDoubt(seen, file, source, name)
  // One field after the other: a copy of other objects has a hidden class of its own, and the archive holds facts of every log.
  const facts: FileFacts = { isHistory, plans }
  if (session !== undefined) facts.session = session
  if (firstMs !== undefined) facts.firstMs = firstMs
  if (cwd !== undefined) facts.cwd = cwd
  return facts
}

/** The name of an agent file says nothing about its session: discovery takes what its records name. */
function sessionName(path: string): string | undefined {
  const name = basename(path)
  return roleOf(name) === 'agent' ? undefined : stemOf(name)
}

function lookAt(ends: LogEnds, name: string | undefined): { seen: EndsGlance; plans: string[]; cwd?: string } {
  const seen = glanceAtEnds(ends, name)
  const plans = [...planNamesAtEnds(ends)]
  const cwd = firstOwnField(ends.head(windowBytes), 'cwd')
  return { seen, plans, ...(cwd !== undefined && { cwd }) }
}
