// The smallest sessions on which `context` once differed from Claude Code, strictly. smallest.json: what 2.1.325 and 2.1.328
// sent; they agree on all of them.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decodeText } from '../../src/decode/decode.ts'
import { contextOfEvents } from '../../src/graph/context/context.ts'
import { sessionId } from '../../src/model/ids.ts'
import { corpusFolder } from '../needs.ts'
import { type Strict, strictBlocks, withoutLastLineEnd } from './strict.ts'

const folder = join(corpusFolder, 'resume3')
const truth: Record<string, Strict[]> = JSON.parse(readFileSync(new URL('smallest.json', import.meta.url), 'utf8'))

describe('the smallest sessions', { tags: 'corpus' }, () => {
  test.each(Object.keys(truth))('%s: as Claude Code sends it', name => {
    const file = join(folder, `${name}.jsonl`)
    const text = readFileSync(file, 'utf8')
    const session = /"sessionId":"([^"]*)"/.exec(text)?.[1] ?? ''
    const context = contextOfEvents(sessionId(session), decodeText(text, { session, file }).events)
    expect(withoutLastLineEnd(strictBlocks(context))).toEqual(withoutLastLineEnd(truth[name] ?? []))
  })

  test('are all there', () => {
    const names = existsSync(folder) ? readdirSync(folder).filter(name => name.endsWith('.jsonl')) : []
    expect(names.map(name => name.replace('.jsonl', '')).sort()).toEqual(Object.keys(truth).sort())
  })
})
