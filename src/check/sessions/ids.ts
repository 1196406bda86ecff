// Rules about uuids and the parents they name: form, uniqueness, roots, orphans and loops. Whether a parent is the *right*
// one is asked in `order.ts` and `pairing.ts`.

import { asString, type JsonObject, jsonText } from '../../base/json.ts'
import type { FileFacts, Place, Rule, SessionFacts } from '../rule.ts'
import { quote } from '../wire.ts'
import {
  indexFile,
  indexSession,
  isSidechain,
  isUuid,
  type Logged,
  parentOf,
  placeIn,
  placeOf,
  textOf,
  uuidOf,
  uuidVersion,
} from './facts.ts'

const uuidInvalid: Rule = {
  code: 'uuid-invalid',
  record(facts, report) {
    for (const key of ['uuid', 'parentUuid']) {
      const id = facts.value[key]
      if (id === undefined || id === null || (typeof id === 'string' && isUuid(id))) continue
      report(`${key} ${quote(id)} is not a UUID.`, placeIn(facts))
    }
  },
}

const uuidNotV4: Rule = {
  code: 'uuid-not-v4',
  record(facts, report) {
    for (const key of ['uuid', 'sessionId']) {
      const id = asString(facts.value[key])
      if (id === undefined || !isUuid(id) || uuidVersion(id) === '4') continue
      report(`${key} ${quote(id)} is a UUID of version ${uuidVersion(id)}, not 4.`, placeIn(facts))
    }
  },
}

const duplicateUuid: Rule = {
  code: 'duplicate-uuid',
  file(facts, report) {
    const { logged, chain, byUuid } = indexFile(facts)
    const rewritten = facts.profile === 'real' ? rewrittenIn(facts, chain, byUuid) : new Set<Logged>()
    for (const each of logged) {
      const uuid = uuidOf(each.value)
      const first = uuid === undefined ? undefined : byUuid.get(uuid)
      if (first === undefined || first === each || rewritten.has(each)) continue
      report(`uuid ${quote(uuid)} is on line ${first.record.line} already.`, placeOf(each))
    }
  },
}

/**
 * Copies that Claude Code itself writes: a subagent's file once more when a message wakes it (2.1.100), and records of a turn
 * once more right before it is compacted (2.1.219).
 */
function rewrittenIn(facts: FileFacts, chain: readonly Logged[], byUuid: ReadonlyMap<string, Logged>): Set<Logged> {
  const rewritten = new Set<Logged>()
  let run: Logged[] = []
  for (const each of chain) {
    const first = byUuid.get(uuidOf(each.value) ?? '')
    const isCopy = first !== undefined && first !== each && isSameMessage(first, each)
    if (isCopy && facts.file.role === 'agent') rewritten.add(each)
    else if (isCopy) run.push(each)
    else {
      if (isBoundary(each)) for (const copy of run) rewritten.add(copy)
      run = []
    }
  }
  return rewritten
}

function isBoundary({ record }: Logged): boolean {
  return record.subtype === 'compact_boundary'
}

function isSameMessage(a: Logged, b: Logged): boolean {
  return parentOf(a.value) === parentOf(b.value) && jsonText(a.value['message']) === jsonText(b.value['message'])
}

const rootNullParent: Rule = {
  code: 'root-null-parent',
  session(facts, report) {
    const { files } = indexSession(facts)
    for (const { file, chain, byUuid } of files) {
      if (chain.length === 0 || chain.some(({ value }) => isRoot(value))) continue
      // A later file of a split conversation continues from a parent in another one.
      const outside = chain.flatMap(({ value }) => parentOf(value) ?? []).filter(parent => !byUuid.has(parent))
      const message = `None of its ${chain.length} messages is a root, with null as parentUuid.`
      report(message, { file: file.path, unless: outside })
    }
  },
}

function isRoot(value: JsonObject): boolean {
  return value['parentUuid'] === null || value['parentUuid'] === undefined
}

const nullParentMidFile: Rule = {
  code: 'null-parent-mid-file',
  file(facts, report) {
    const { chain, byUuid } = indexFile(facts)
    const roots = new Set<unknown>()
    chain.forEach((each, at) => {
      const before = chain[at - 1]
      const { parentUuid, timestamp } = each.value
      if (parentUuid !== null) return
      // A resume of 2.0.77 may write the history once more, with new ids and the old times.
      const isAgain = timestamp !== undefined && roots.has(timestamp)
      roots.add(timestamp)
      if (before === undefined || isAgain) return
      if (isSidechain(each.value) || isCompaction(each) || rootOf(before, byUuid) === each) return
      report(`A ${each.record.type ?? ''} record in the middle of the file has null as parentUuid.`, placeOf(each))
    })
  },
}

/** Where the parents of a record lead to: Claude Code may write an answer to the file before the prompt that it answers. */
function rootOf(start: Logged, byUuid: ReadonlyMap<string, Logged>): Logged {
  const seen = new Set<Logged>()
  let each = start
  for (;;) {
    seen.add(each)
    const parent = byUuid.get(parentOf(each.value) ?? '')
    if (parent === undefined || seen.has(parent)) return each
    each = parent
  }
}

/** A boundary or a summary; up to 1.0.3 a summary is known by its words alone. */
function isCompaction({ record, value }: Logged): boolean {
  if (value['isCompactSummary'] === true || /compact/.test(`${record.type} ${record.subtype}`)) return true
  return record.type === 'user' && textOf(value).startsWith('This session is being continued from a previous')
}

const orphanParent: Rule = {
  code: 'orphan-parent',
  session(facts, report) {
    for (const orphan of orphansOf(facts))
      report(`parentUuid ${quote(parentOf(orphan.value))} names no record.`, placeOfOrphan(orphan))
  },
}

const orphanKeepsLogicalParent: Rule = {
  code: 'orphan-keeps-logical-parent',
  session(facts, report) {
    for (const orphan of orphansOf(facts)) {
      if (typeof orphan.value['logicalParentUuid'] === 'string') continue
      const parent = quote(parentOf(orphan.value))
      report(`The parent ${parent} is gone and no logicalParentUuid replaces it.`, placeOfOrphan(orphan))
    }
  },
}

/** Records whose parent is in no file of their session. */
export function orphansOf(facts: SessionFacts): Logged[] {
  const { files, byUuid } = indexSession(facts)
  return files.flatMap(({ logged }) =>
    logged.filter(({ value }) => {
      const parent = parentOf(value)
      return parent !== undefined && !byUuid.has(parent)
    }),
  )
}

/** A record is no orphan where a file of another session has its parent. */
export function placeOfOrphan(orphan: Logged): Place {
  const parent = parentOf(orphan.value)
  return { ...placeOf(orphan), unless: parent === undefined ? [] : [parent] }
}

const parentLoop: Rule = {
  code: 'parent-loop',
  session(facts, report) {
    for (const each of loopsOf(indexSession(facts).byUuid)) {
      const parent = quote(parentOf(each.value))
      report(`Going from parent to parent, by ${parent}, leads back to this record.`, placeOf(each))
    }
  },
}

/** One record of each loop of parents: the one at which a walk from the start of the files meets itself. */
function loopsOf(byUuid: ReadonlyMap<string, Logged>): Logged[] {
  const loops: Logged[] = []
  const walkOf = new Map<Logged, Logged>()
  for (const start of byUuid.values()) {
    let each: Logged | undefined = start
    while (each !== undefined && !walkOf.has(each)) {
      walkOf.set(each, start)
      each = byUuid.get(parentOf(each.value) ?? '')
    }
    if (each !== undefined && walkOf.get(each) === start) loops.push(each)
  }
  return loops
}

export const idRules: readonly Rule[] = [
  uuidInvalid,
  uuidNotV4,
  duplicateUuid,
  rootNullParent,
  nullParentMidFile,
  orphanParent,
  orphanKeepsLogicalParent,
  parentLoop,
]
