// Repairs of real damage, and of every damage to real sessions, as `clew context` says that they resume.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decodeText } from '../../src/decode/decode.ts'
import { clientHomes, corpusFolder, publicHome, sample } from '../needs.ts'
import { damages } from './damages.ts'
import { damagedCase, type ResumeCase, repaired, toText, variantCases } from './repaired.ts'
import { contextOf, missing, saidAnywhere, sentByContext } from './said.ts'

const samples = 'samples/home/projects'

function sessionFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.jsonl') && !/(^|[\\/])(agent-[^\\/]*|history|journal)\.jsonl$/.test(name))
    .map(name => join(folder, name))
}

/** What is wrong with the repair of one case; empty where nothing is. */
function faults({ bytes, session, asked }: ResumeCase): string[] {
  const log = repaired(bytes, { own: session })
  const text = toText(log)
  const found = missing(asked ?? [], sentByContext(contextOf(text, session)))
  const again = repaired(new TextEncoder().encode(text), { own: session })
  if (again.changes.length > 0 || toText(again) !== text) found.push(`repaired again: ${again.changes[0]?.what}`)
  const after = saidAnywhere(text)
  const isText = bytes[0] !== 0xff && bytes[0] !== 0xfe
  for (const said of isText ? saidAnywhere(bytes) : []) if (!after.has(said)) found.push(`lost: ${said.slice(0, 60)}`)
  return found
}

function faultsOfAll(cases: readonly ResumeCase[]): Record<string, string[]> {
  return Object.fromEntries(cases.map(one => [one.name, faults(one)] as const).filter(([, found]) => found.length > 0))
}

describe('damaged variants', { tags: 'corpus' }, () => {
  test.each(['resume', 'resume2'] as const)('%s: each resumes complete', folder => {
    const cases = variantCases(folder)
    expect(cases.length).toBeGreaterThanOrEqual(24)
    expect(faultsOfAll(cases.filter(({ asked }) => asked !== null))).toEqual({})
    for (const { bytes } of cases.filter(({ asked }) => asked === null))
      expect(() => repaired(bytes)).toThrow(expect.objectContaining({ code: 'not-resumable' }))
  })
})

describe('every damage', () => {
  const file = join(samples, '-home-mira-hexwind/45615a30-f63b-4021-8447-fc8b86ccd84b.jsonl')

  test.each(Object.keys(damages))('%s: a sample resumes complete', damage => {
    expect(faults(damagedCase(file, damage))).toEqual([])
  })

  describe('to sessions of a corpus', { tags: 'corpus' }, () => {
    const files = clientHomes.flatMap(home => sample(sessionFiles(home).filter(isConversation), 2))

    test.each(Object.keys(damages))('%s', damage => {
      const found = files.map(path => ({ ...damagedCase(path, damage), name: path }))
      expect(faultsOfAll(found)).toEqual({})
    })
  })
})

function isConversation(file: string): boolean {
  return (readFileSync(file, 'utf8').match(/"tool_use_id"/g) ?? []).length > 2
}

/** Files in which something is wrong, by name. */
const knownDamage: Readonly<Record<string, readonly string[]>> = {
  '8e354242-91e6-4a2c-a64d-e1e92c3ab924.jsonl': ['line'],
  '8b863dff-418d-4587-b367-608598f5e71c.jsonl': ['session', 'torn', 'set-aside', 'line'],
}

const messageKinds: ReadonlySet<string> = new Set(['prompt', 'answer', 'tool-results'])

function changedFiles(files: readonly string[]): Record<string, string[]> {
  const changed: Record<string, string[]> = {}
  for (const file of files) {
    const bytes = readFileSync(file)
    try {
      const log = repaired(bytes, { own: basename(file, '.jsonl') })
      const kinds = log.changes.map(({ kind }) => kind)
      const expected = knownDamage[basename(file)] ?? (bytes.at(-1) === 0x0a ? [] : ['line'])
      if (kinds.join() !== expected.join()) changed[file] = kinds
      else if (kinds.length === 0) expect(toText(log)).toBe(bytes.toString('utf8'))
    } catch (error) {
      expect(error).toMatchObject({ code: 'not-resumable' })
      const { events } = decodeText(bytes)
      expect(events.filter(({ dialect, kind }) => dialect === 'client' && messageKinds.has(kind))).toEqual([])
    }
  }
  return changed
}

describe('what is not damaged', () => {
  test('stays as it is: every sample', () => expect(changedFiles(sessionFiles(samples))).toEqual({}))

  test('stays as it is: every session of a corpus', { tags: 'corpus', timeout: 180_000 }, () => {
    const files = [...sessionFiles(join(corpusFolder, 'client')), ...sessionFiles(publicHome)]
    expect(files.length).toBeGreaterThan(300)
    expect(changedFiles(sample(files, 60))).toEqual({})
  })
})
