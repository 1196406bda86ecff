import { describe, expect, it } from 'vitest'
import type { NewSession, RepairReport } from '../../src/server/api/api.ts'
import { forkAt } from './ask.ts'
import { forkFacts, lineName, placeOf, repairFacts, writtenText } from './words.ts'

const made: NewSession = {
  session: 'new',
  origin: 'old',
  dryRun: true,
  files: ['/home/mira/.claude/projects/-bakery/new.jsonl', '/home/mira/.claude/projects/-bakery/new/subagents/a.jsonl'],
  bytes: 5300,
  messages: 3,
  command: 'claude --resume new',
  undo: 'rm -r new.jsonl',
  title: 'Cart (fork)',
  records: 4,
  subagents: 1,
  damaged: 0,
  openCalls: 0,
}
const texts = (report: NewSession) => forkFacts(report).map(({ name, text }) => `${name}: ${text}`)

describe('a fork', () => {
  it('says what is copied, which calls are open, and what a resume sends', () => {
    expect(texts(made)).toEqual(['Copied: 4 records, 1 subagent', 'Open calls: none', 'A resume sends: 3 messages'])
    expect(texts({ ...made, records: 1, subagents: 0, openCalls: 1, damaged: 2, messages: 1 })).toEqual([
      'Copied: 1 record',
      'Left out: 2 damaged lines: a repair shows what they say',
      'Open calls: 1 call without a result: Claude Code takes it for interrupted',
      'A resume sends: 1 message',
    ])
    expect(texts({ ...made, openCalls: 2 })[1]).toContain('2 calls without a result: Claude Code takes them')
  })

  it('names the folder that it is written to, whatever the system', () => {
    expect(placeOf(made)).toEqual({ folder: '/home/mira/.claude/projects/-bakery', size: '2 files, 5.3 kB' })
    expect(placeOf({ files: ['C:\\Users\\mira\\projects\\x\\new.jsonl'], bytes: 10 }).folder).toBe(
      'C:\\Users\\mira\\projects\\x',
    )
  })

  it('is written as a session with its title, in which nothing is hidden', () => {
    expect(writtenText(made)).toBe(
      'The new session “Cart (fork)” is written: 2 files, 5.3 kB. A resume sends 3 messages.',
    )
    expect(writtenText({ ...made, title: 'Cart\u202egpj.exe' })).not.toContain('\u202e')
  })

  it('begins at prompts and answers of the main thread of a session on the server', () => {
    const head = {
      threads: [
        { kind: 'main', id: 'm' },
        { kind: 'subagent', id: 'a' },
      ],
    } as never
    const item = (kind: string, thread = 'm') => ({ id: 'e', kind, thread }) as never
    expect(forkAt(item('prompt'), 's', head)).toEqual({ kind: 'fork', session: 's', at: 'e', what: 'prompt' })
    expect(forkAt(item('answer'), 's', head)).toMatchObject({ what: 'answer' })
    expect(forkAt(item('call'), 's', head)).toBeUndefined()
    expect(forkAt(item('answer', 'a'), 's', head)).toBeUndefined()
    expect(forkAt(item('prompt'), 'local', head)).toBeUndefined()
    expect(forkAt(item('prompt'), 's', undefined)).toBeUndefined()
  })
})

describe('a repair', () => {
  const sent = { resumable: true, messages: 2, texts: 2, calls: 0, results: 0 }
  const report: RepairReport = {
    session: 'old',
    inPlace: false,
    dryRun: true,
    changes: [],
    setAside: 0,
    before: { ...sent, resumable: false, reason: 'No message was found' },
    after: sent,
  }

  it('says what a resume sends before and after, and what is in the file without being sent', () => {
    expect(repairFacts(report)).toEqual([
      { name: 'A resume sends', text: 'No message was found' },
      { name: 'Repaired, it sends', text: '2 messages, 2 texts, 0 calls, 0 results' },
    ])
    expect(repairFacts({ ...report, setAside: 1 })[2]).toEqual({
      name: 'Softly deleted',
      text: '1 record: in the file, but not sent',
    })
  })

  it('names lines as the command does', () => {
    expect([lineName(0), lineName(12)]).toEqual(['file', 'line 12'])
  })
})
