// What `clew context` says that a resume sends, block by block, against what Claude Code sent.

import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decodeText } from '../../src/decode/decode.ts'
import { contextOfEvents } from '../../src/graph/context/context.ts'
import { sessionId } from '../../src/model/ids.ts'
import { corpusFolder } from '../needs.ts'
import { sentBlocks } from './sent.ts'

interface Truth {
  variant: string
  found: boolean
  sent?: string[]
}

const truthFile = join(corpusFolder, 'resume2/truth.json')
const none: { known: Record<string, string>; truth: Truth[] } = {
  known: {},
  truth: [{ variant: 'any variant', found: false }],
}
const { known, truth }: typeof none = existsSync(truthFile) ? JSON.parse(readFileSync(truthFile, 'utf8')) : none

describe('damaged sessions', { tags: 'corpus' }, () => {
  test.each(truth)('$variant: block by block as Claude Code sends it', ({ variant, found, sent }) => {
    const file = join(corpusFolder, 'resume2', `${variant}.jsonl`)
    const session = basename(file, '.jsonl')
    const context = contextOfEvents(sessionId(session), decodeText(readFileSync(file), { session, file }).events)
    expect(context.resumable).toBe(found)
    if (found) expect([...sentBlocks(context, known), 'u:"continue"']).toEqual(sent)
  })
})
