import { describe, expect, it } from 'vitest'
import * as known from '../../decode/known.ts'
import { typeFromWords } from '../type-words.ts'
import {
  allFields,
  attachmentNames,
  catalog,
  catalogEntry,
  progressNames,
  sourceNames,
  spellSources,
} from './catalog.ts'

const versionPattern = /^\d+(\.\d+){1,2}$/
const wires = (group: string) => new Set(catalog.filter(entry => entry.group === group).map(entry => entry.wire))

describe('the catalog', () => {
  it('gives every entry a name of its own', () => {
    const names = catalog.map(entry => entry.name)
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  })

  it('gives every field a known type, known sources and a meaning', () => {
    for (const entry of catalog) {
      for (const field of entry.fields) {
        const where = `${entry.name}.${field.name}`
        expect(() => typeFromWords(field.type, () => expect.fail('asked too early')), where).not.toThrow()
        expect(field.sources, where).not.toBe('')
        expect(spellSources(field.sources).length, where).toBe(field.sources.length)
        expect(field.meaning, where).toMatch(/\S.*\.?$/)
        for (const version of [field.firstSeen, field.lastSeen]) {
          if (version !== undefined) expect(version, where).toMatch(versionPattern)
        }
      }
    }
  })

  it('refers only to entries that exist', () => {
    for (const entry of catalog) {
      if (entry.base !== undefined) expect(catalogEntry(entry.base), entry.name).toBeDefined()
      for (const field of entry.fields) {
        for (const [, name = ''] of field.type.matchAll(/@([\w-]+)/g)) expect(catalogEntry(name), name).toBeDefined()
      }
    }
  })

  it('spells out where every entry comes from', () => {
    for (const entry of catalog) expect(spellSources(entry.sources).length, entry.name).toBe(entry.sources.length)
    expect(spellSources('m2')).toEqual([sourceNames.m, sourceNames[2]])
  })

  const specifications = (sources: string) => sources.replace(/\D/g, '')

  it('credits an entry with the specifications that its fields are from, and a record with those that name its type', () => {
    for (const entry of catalog) {
      const ofFields = entry.fields.flatMap(field => [...specifications(field.sources)])
      expect(
        ofFields.filter(one => !entry.sources.includes(one)),
        entry.name,
      ).toEqual([])
      const type = entry.group === 'record' ? entry.fields.find(field => field.name === 'type') : undefined
      if (type !== undefined) expect(specifications(entry.sources), entry.name).toBe(specifications(type.sources))
    }
  })

  it('has no field that was seen before or after its entry, or more often', () => {
    const compare = new Intl.Collator('en', { numeric: true }).compare
    for (const entry of catalog) {
      const { firstSeen, lastSeen, count } = entry
      for (const field of entry.fields) {
        const where = `${entry.name}.${field.name}`
        if (firstSeen && field.firstSeen) expect(compare(field.firstSeen, firstSeen), where).toBeGreaterThanOrEqual(0)
        if (lastSeen && field.lastSeen) expect(compare(field.lastSeen, lastSeen), where).toBeLessThanOrEqual(0)
        if (count && field.count) expect(field.count, where).toBeLessThanOrEqual(count)
      }
    }
  })

  it('says in words the versions that its tables say', () => {
    for (const { name, purpose, firstSeen, lastSeen } of catalog) {
      const said = /from ([\d.]+\w?) to ([\d.]+\w?) only/.exec(purpose)
      if (said !== null) expect([said[1], said[2]], name).toEqual([firstSeen, lastSeen])
    }
    // What the pages written by hand repeat.
    expect(catalogEntry('progress')).toMatchObject({ firstSeen: '2.1.12', lastSeen: '2.1.81' })
    expect(catalogEntry('content-thinking')?.firstSeen).toBe('0.2.126')
  })

  it('says for every record type how Claude Code treats it and what becomes of it', () => {
    for (const entry of catalog.filter(entry => entry.group === 'record')) {
      expect(entry.bucket, entry.name).toBeDefined()
      expect(entry.inChain, entry.name).toBeDefined()
      expect(entry.becomes, entry.name).toBeDefined()
      expect(entry.examples?.length, entry.name).toBeGreaterThan(0)
    }
  })

  it('adds the fields of the base, and lets an entry describe one of them itself', () => {
    const boundary = catalogEntry('system-compact-boundary')
    const fields = boundary ? allFields(boundary) : []
    expect(fields.find(field => field.name === 'uuid')).toBeDefined()
    expect(fields.filter(field => field.name === 'subtype').map(field => field.type)).toEqual(['"compact_boundary"'])
  })

  it('describes or names every type that decoding knows', () => {
    const missing = (names: Iterable<string>, ...described: ReadonlySet<string | undefined>[]) =>
      [...names].filter(name => !described.some(set => set.has(name)))
    expect(missing(known.clientTypes.keys(), wires('record'))).toEqual([])
    expect(missing(known.systemSubtypes, wires('system'))).toEqual([])
    expect(missing(known.s0Types, wires('s0'))).toEqual([])
    expect(missing(known.s3Types, wires('s3'))).toEqual([])
    expect(missing(known.attachmentTypes, wires('attachment'), new Set(attachmentNames))).toEqual([])
    expect(missing(known.progressTypes, wires('progress'), new Set(progressNames))).toEqual([])
  })

  it('names no type that decoding does not know', () => {
    const records = catalog.filter(entry => entry.group === 'record').map(entry => entry.wire ?? '')
    expect(records.filter(type => !known.clientTypes.has(type))).toEqual([])
    expect(attachmentNames.filter(name => !known.attachmentTypes.has(name))).toEqual([])
    expect(progressNames.filter(name => !known.progressTypes.has(name))).toEqual([])
  })
})
