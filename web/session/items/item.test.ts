import { describe, expect, it } from 'vitest'
import { eventId, threadId } from '../../../src/model/ids.ts'
import type { HeadThread } from '../../../src/view/reading.ts'
import type { ViewItem } from '../../../src/view/view.ts'
import { copiedFrom, threadMarks } from './item.tsx'

function item(part: Partial<ViewItem>): ViewItem {
  return {
    id: eventId('e'),
    kind: 'call',
    actor: 'agent',
    thread: threadId('t'),
    at: null,
    headline: 'Bash  npm test',
    badges: [],
    body: [],
    isQuiet: false,
    ...part,
  }
}

describe('what is copied', () => {
  it('is the command of a shell call, without what it printed', () => {
    const body: ViewItem['body'] = [
      { type: 'code', text: 'npm test', language: 'bash' },
      { type: 'text', text: 'ok', tone: 'plain' },
    ]
    expect(copiedFrom(item({ body }))).toEqual({ what: 'command', text: 'npm test' })
  })

  it('is a patch where a file was changed', () => {
    const hunks = [
      {
        oldStart: 3,
        newStart: 3,
        lines: [
          { sign: ' ' as const, text: 'a' },
          { sign: '-' as const, text: 'b' },
          { sign: '+' as const, text: 'c' },
        ],
      },
    ]
    const body: ViewItem['body'] = [{ type: 'diff', path: '/src/x.ts', hunks, added: 1, removed: 1 }]
    expect(copiedFrom(item({ body }))).toEqual({
      what: 'patch',
      text: '--- a/src/x.ts\n+++ b/src/x.ts\n@@ -3,2 +3,2 @@\n a\n-b\n+c\n',
    })
  })

  it('is a patch that applies in the folder of the project', () => {
    const hunks = [{ oldStart: 1, newStart: 1, lines: [{ sign: '+' as const, text: 'a' }] }]
    const body: ViewItem['body'] = [{ type: 'diff', path: '/home/me/shop/src/x.ts', hunks, added: 1, removed: 0 }]
    expect(copiedFrom(item({ body }), '/home/me/shop/').text).toContain('+++ b/src/x.ts\n')
  })

  it('is the Markdown of an answer', () => {
    const body: ViewItem['body'] = [{ type: 'markdown', text: '**Done.**' }]
    expect(copiedFrom(item({ kind: 'answer', headline: 'Answer', body }))).toEqual({
      what: 'answer',
      text: '**Done.**',
    })
  })
})

describe('the marks of a call that started subagents', () => {
  const thread = (id: string, calls?: number, errors?: number): HeadThread => {
    const times = { startedAt: null, endedAt: null, events: 9 }
    return {
      id,
      kind: 'subagent',
      ...times,
      ...(calls !== undefined && { calls }),
      ...(errors !== undefined && { errors }),
    }
  }
  const agent = (id: string) => item({ body: [{ type: 'thread', thread: threadId(id), items: [] }] })

  it('say how many calls they made, and how many failed inside', () => {
    const threads = [thread('x', 3, 1), thread('y', 1)]
    expect(threadMarks(agent('x'), threads)?.map(({ text }) => text)).toEqual(['1 failed', '3 calls'])
    expect(threadMarks(agent('y'), threads)).toEqual([{ text: '1 call', tone: 'quiet' }])
    expect(threadMarks(agent('z'), [thread('z')])).toEqual([{ text: '… calls', tone: 'quiet' }])
    expect(threadMarks(item({}), threads)).toBeUndefined()
  })
})
