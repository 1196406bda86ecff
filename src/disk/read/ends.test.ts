import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { GenerationId } from '../../model/source.ts'
import { diskTree } from '../discover/tree.ts'
import { type FileEnds, withEnds } from './ends.ts'

function inFile<Value>(text: string, work: (ends: FileEnds) => Value): Value | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'clew-ends-'))
  const path = join(folder, 's.jsonl')
  try {
    writeFileSync(path, text)
    const found = diskTree.stat(path)
    if (found.kind !== 'file') throw new Error('a file was written')
    return withEnds(found, diskTree.source, work)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const line = (record: object) => `${JSON.stringify(record)}\n`
const filler = (bytes: number) => line({ parentUuid: null, type: 'user', message: 'x'.repeat(bytes) })

/** Values of a field of the records of a type, as they come. */
function records(ends: FileEnds, type: string, field: string): unknown[] {
  const found: unknown[] = []
  const visit = (record: { readonly [key: string]: unknown }) => {
    found.push(record[field])
  }
  ends.tailRecords(new Set([type]), visit)
  ends.wholeHead()
  ends.headRecords(new Set([type]), visit)
  return found
}

describe('the ends of a file', () => {
  it('give the first and last value of a field, whatever is between', () => {
    const text = [
      line({ cwd: '/a "b"\n地図', timestamp: '2026-01-01T00:00:00Z' }),
      filler(300_000),
      line({ cwd: '/c', timestamp: 1738160130123 }),
    ].join('')
    inFile(text, ends => {
      expect(ends.firstOwnField('cwd')).toBe('/a "b"\n地図')
      expect(ends.firstField('timestamp')).toBe('2026-01-01T00:00:00Z')
      expect(ends.lastField('timestamp')).toBe('1738160130123')
      expect(ends.lastField('gitBranch')).toBeUndefined()
    })
    expect.hasAssertions()
  })

  it('tell a field of the record from one inside a value or a text', () => {
    const text = line({ data: { cwd: '/inner', list: [{ cwd: '/deep' }] }, text: 'say "cwd": "/quoted"', cwd: '/own' })
    expect(inFile(text, ends => ends.firstOwnField('cwd'))).toBe('/own')
    expect(inFile(line({ data: { cwd: '/inner' } }), ends => ends.firstOwnField('cwd'))).toBeUndefined()
  })

  it('find a field beyond the first bytes of the head', () => {
    const text = `${filler(30_000)}${line({ cwd: '/late' })}${filler(300_000)}`
    expect(inFile(text, ends => ends.firstOwnField('cwd'))).toBe('/late')
  })

  it('give records of a type, the last first, in any order of keys, tail before head', () => {
    const title = (name: string) => line({ type: 'ai-title', aiTitle: name })
    const odd = line({ sessionId: 's', aiTitle: 'three', type: 'ai-title' })
    const text = `${title('one')}${filler(300_000)}${title('two')}${odd}${line({ type: 'user', text: '"ai-title"' })}`
    expect(inFile(text, ends => records(ends, 'ai-title', 'aiTitle'))).toEqual(['three', 'two', 'one'])
  })

  it('take no record from a line that is cut off or torn', () => {
    const cut = line({ type: 'ai-title', aiTitle: 'x'.repeat(70_000) })
    expect(
      inFile(`${filler(100_000)}${cut}{"type":"ai-title","aiT`, ends => records(ends, 'ai-title', 'aiTitle')),
    ).toEqual([])
  })

  it('give a summary whose parent is written first', () => {
    const summary = { parentUuid: null, type: 'summary', summary: 'Rolls', leafUuid: 'u' }
    expect(inFile(line(summary), ends => records(ends, 'summary', 'summary'))).toContain('Rolls')
  })

  it('take no time from a last line that is not finished', () => {
    const [first, last] = ['2026-01-01T08:00:00.000Z', '2026-01-01T09:00:00.000Z'].map(timestamp => line({ timestamp }))
    const lastTime = (text: string) => inFile(text, ends => ends.lastTime())
    expect(lastTime(`${first}${last}`)).toBe('2026-01-01T09:00:00.000Z')
    expect(lastTime(`${first}${last?.trimEnd()}`)).toBe('2026-01-01T09:00:00.000Z')
    expect(lastTime(`${first}${last?.slice(0, -2)},"message":{"te`)).toBe('2026-01-01T08:00:00.000Z')
  })

  it('are not there for a file that is empty, missing or a folder', () => {
    const ends = (path: string) => {
      const log = { size: 10, generation: `disk:1-2-3:${path}` as GenerationId }
      return withEnds(log, diskTree.source, () => 1)
    }
    expect(inFile('', () => 1)).toBeUndefined()
    expect(ends('/nonexistent/x.jsonl')).toBeUndefined()
    expect(ends(tmpdir())).toBeUndefined()
  })

  it('survive any bytes', () => {
    for (const text of ['\n\n\n', '"cwd"', '{"cwd":', '{"cwd":"', '{"cwd":"\\', '\u0000"timestamp":', '{"type":"']) {
      inFile(text, ends => {
        expect(ends.firstOwnField('cwd')).toBeUndefined()
        expect(ends.lastField('timestamp')).toBeUndefined()
        expect(records(ends, 'ai-title', 'x')).toEqual([])
      })
    }
  })
})
