// What the catalog says of versions, held against real logs: it may know of more versions than they, never of fewer.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asObject, asString, isObject, type JsonObject, parseJson } from '../../../src/base/json.ts'
import { type CatalogGroup, entryByWire } from '../../../src/schema/catalog/catalog.ts'
import { corpusFolder } from '../../needs.ts'

const { compare } = new Intl.Collator('en', { numeric: true })

test('no record, subtype or field is older or newer than the catalog says', { tags: 'corpus' }, () => {
  const wrong = new Set<string>()
  const look = (group: CatalogGroup, wire: string | undefined, value: JsonObject, version: string) => {
    const entry = wire === undefined ? undefined : entryByWire(group, wire)
    if (entry === undefined) return
    for (const { name, firstSeen, lastSeen } of [{ ...entry, name: '' }, ...entry.fields]) {
      if (name !== '' && !(name in value)) continue
      const isOld = firstSeen !== undefined && compare(version, firstSeen) < 0
      const isNew = lastSeen !== undefined && compare(version, lastSeen) > 0
      if (isOld || isNew) wrong.add(`${entry.name} ${name} in ${version}`)
    }
  }
  let lines = 0
  for (const path of readdirSync(corpusFolder, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.jsonl')) continue
    for (const line of readFileSync(join(corpusFolder, path), 'utf8').split('\n')) {
      const value = parseJson(line)
      const version = isObject(value) ? asString(value['version']) : undefined
      if (!isObject(value) || version === undefined || !/^\d/.test(version)) continue
      lines++
      const type = asString(value['type'])
      look('record', type, value, version)
      if (type === 'system') look('system', asString(value['subtype']), value, version)
      for (const [group, key] of [
        ['progress', 'data'],
        ['attachment', 'attachment'],
      ] as const) {
        const inner = asObject(value[key])
        if (type === group && inner !== undefined) look(group, asString(inner['type']), inner, version)
      }
    }
  }
  expect(lines).toBeGreaterThan(10_000)
  expect([...wrong]).toEqual([])
})
