import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { corpusFolder, publicHome } from '../../../test/needs.ts'
import { decodeText } from '../../decode/decode.ts'
import type { Block } from '../../model/event.ts'
import { sessionId } from '../../model/ids.ts'
import type { Context } from '../../model/session.ts'
import { contextOfEvents } from './context.ts'

const truthFile = path.join(corpusFolder, 'resume/truth.json')

interface Truth {
  variant: string
  found: boolean
  texts?: string[]
  calls?: string[]
  results?: string[]
}

function contextOfFile(file: string): Context {
  const session = path.basename(file, '.jsonl')
  return contextOfEvents(sessionId(session), decodeText(readFileSync(file), { session, file }).events)
}

const blocksOf = (context: Context): Block[] => context.messages.flatMap(message => message.blocks)
const callsOf = (context: Context): string[] =>
  blocksOf(context).flatMap(block => (block.type === 'tool-call' ? [block.callId] : []))
const resultsOf = (context: Context): string[] =>
  blocksOf(context).flatMap(block => (block.type === 'tool-result' ? [block.callId] : []))

function sessionFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.jsonl') && !/(^|[\\/])(agent-[^\\/]*|history|journal)\.jsonl$/.test(name))
    .map(name => path.join(folder, name))
}

/** Ids of all calls that were asked and answered on the main thread of a file. */
function answeredInFile(file: string): Set<string> {
  const { events } = decodeText(readFileSync(file), { session: path.basename(file, '.jsonl'), file })
  const main = events.filter(
    event => !event.flags.includes('sidechain') && event.at !== null && event.record.marks === undefined,
  )
  return new Set(
    main.flatMap(event => event.blocks.flatMap(block => (block.type === 'tool-result' ? [block.callId] : []))),
  )
}

/** What is wrong with a context by itself, in words; empty when nothing is. */
function faults(context: Context): string[] {
  const found: string[] = []
  const calls = callsOf(context)
  const results = resultsOf(context)
  if (new Set(calls).size !== calls.length) found.push('a call is sent twice')
  if (calls.slice().sort().join() !== results.slice().sort().join()) found.push('calls and results differ')
  context.messages.forEach((message, i) => {
    const before = context.messages[i - 1]
    if (message.blocks.length === 0) found.push(`message ${i} is empty`)
    if (before?.role !== message.role) return
    if (message.role === 'user') found.push(`two user messages in a row at ${i}`)
    else if (before.messageId === message.messageId && message.messageId !== undefined)
      found.push(`an answer is split at ${i}`)
  })
  return found
}

describe('what Claude Code sends when it resumes', { tags: 'corpus' }, () => {
  const none = { known: {}, truth: [{ variant: 'any variant', found: false }] }
  const { known, truth }: { known: Record<string, string>; truth: Truth[] } = existsSync(truthFile)
    ? JSON.parse(readFileSync(truthFile, 'utf8'))
    : none

  test.each(truth)('$variant: is what the context contains', ({ variant, found, texts, calls, results }) => {
    const context = contextOfFile(path.join(corpusFolder, 'resume', `${variant}.jsonl`))
    expect(context.resumable).toBe(found)
    if (!found) {
      expect(context.reason).toMatch(/^No conversation found/)
      expect(context.messages).toEqual([])
      return
    }
    const sent = blocksOf(context).flatMap(block => (block.type === 'text' ? [block.text] : []))
    const seen = Object.keys(known).filter(name => sent.some(text => text.includes(known[name] as string)))
    expect(seen.sort()).toEqual(texts?.slice().sort())
    expect(callsOf(context)).toEqual(calls)
    expect(resultsOf(context)).toEqual(results)
    expect(faults(context)).toEqual([])
  })
})

describe('every session file of the corpus', { tags: 'corpus' }, () => {
  test('gives a context that the API would take, and loses no result of a call that it has', {
    timeout: 120_000,
  }, () => {
    const bad: string[] = []
    for (const file of [...sessionFiles(path.join(corpusFolder, 'client')), ...sessionFiles(publicHome)]) {
      const context = contextOfFile(file)
      for (const fault of faults(context)) bad.push(`${path.relative(corpusFolder, file)}: ${fault}`)
      const answered = answeredInFile(file)
      const isLost = context.messages
        .filter(message => message.synthetic)
        .some(message => message.blocks.some(block => block.type === 'tool-result' && answered.has(block.callId)))
      if (isLost) bad.push(`${path.relative(corpusFolder, file)}: a stand-in for a result that is there`)
    }
    expect(bad).toEqual([])
  })
})
