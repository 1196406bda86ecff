// What discovery would look for in a log, found once and for all: for whoever keeps it beside the bytes. It keeps nothing
// itself.

import { basename } from 'node:path'
import type { ByteSource } from '../model/source.ts'
import { withEnds } from './ends.ts'
import { glance, planNames } from './peek.ts'
import { roleOf, stemOf } from './project.ts'
import type { FoundFile, KnownFacts } from './tree.ts'

/** Plain data, so that it can be kept and given back as `known` by a tree. */
export interface FileFacts extends KnownFacts {
  /** The first working directory that a record in the head names. */
  cwd?: string
}

/** The facts of one generation under the name that its file has. Throws what the source throws. */
export async function factsOf(file: FoundFile, source: ByteSource): Promise<FileFacts> {
  const name = basename(file.path)
  // The name of an agent file says nothing about its session: discovery takes what its records name.
  const seen = await glance(file, source, roleOf(name) === 'agent' ? undefined : stemOf(name))
  const cwd = withEnds(file, source, ends => ends.firstOwnField('cwd'))
  return { ...seen, plans: [...planNames(file, source)], ...(cwd !== undefined && { cwd }) }
}
