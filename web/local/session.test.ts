import { describe, expect, it } from 'vitest'
import { type FromWorker, openLocal, type ToWorker, type WorkerLike } from './open.ts'
import { openFiles } from './session.ts'

const text = (lines: string, name = 'x.jsonl') => new File([lines], name)
const user = (session: string, uuid: string, content: string, parentUuid: string | null = null) =>
  `${JSON.stringify({ type: 'user', uuid, parentUuid, sessionId: session, timestamp: '2026-01-02T03:04:05Z', message: { role: 'user', content } })}\n`

const block = (session: string, uuid: string, parentUuid: string, type: string, content: unknown) =>
  `${JSON.stringify({ type, uuid, parentUuid, sessionId: session, message: { role: type, content: [content] } })}\n`
const edit = (session: string, uuid: string, parent: string) =>
  block(session, uuid, parent, 'assistant', {
    type: 'tool_use',
    id: 'call',
    name: 'Edit',
    input: { file_path: '/shop/cart.ts', old_string: 'a', new_string: 'b' },
  })
const result = (session: string, uuid: string, parent: string) =>
  block(session, uuid, parent, 'user', { type: 'tool_result', tool_use_id: 'call', content: 'done' })

describe('a dropped session file', () => {
  it('is read like a session on the server: threads, slots, files and raw records', async () => {
    const file = text(user('s', 'a', 'Fix the sum, 丸め too') + edit('s', 'b', 'a') + result('s', 'c', 'b'), 's.jsonl')
    const reader = await openFiles([file])
    const head = await reader.head()
    expect(head).toMatchObject({ id: 's', onDisk: true, counts: { prompts: 1, calls: 1 } })
    const outline = await reader.outline()
    const { slots } = await reader.items(0, outline.ids.length)
    expect(slots.flat().map(({ kind }) => kind)).toEqual(['prompt', 'call'])
    expect(await reader.files()).toMatchObject([{ path: '/shop/cart.ts', steps: [{ event: 'b', slot: 1 }] }])
    const raw = await reader.raw('b')
    expect(raw).toMatchObject({ file: 's.jsonl', line: 2, isCut: false, text: edit('s', 'b', 'a').trimEnd() })
    await expect(reader.raw('nowhere')).rejects.toThrow(/no such event/)
  })

  it('is the session that its records name where its file was renamed, and the last one where there are several', async () => {
    const renamed = await openFiles([text(user('s1', 'a', 'earlier') + user('s2', 'b', 'now', 'a'), 'my notes.jsonl')])
    expect((await renamed.head()).id).toBe('s2')
    const named = await openFiles([text(user('s1', 'a', 'mine') + user('s2', 'b', 'other', 'a'), 's1.jsonl')])
    expect((await named.head()).id).toBe('s1')
  })

  it('reports how far it is, to the end', async () => {
    const progress: [number, number][] = []
    const file = text(user('s', 'a', 'x'.repeat(3_000_000)), 's.jsonl')
    await openFiles([file], (done, total) => progress.push([done, total]))
    expect(progress.length).toBeGreaterThan(2)
    expect(progress.at(-1)).toEqual([file.size, file.size])
  })
})

describe('files that are not sessions', () => {
  const refusals: [string, File, RegExp][] = [
    ['nothing', text('', 'empty.jsonl'), /empty/],
    ['prose', text('Dear reader,\nthis is a letter.\n', 'letter.jsonl'), /not records/],
    ['a picture', new File([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3])], 'cat.png'), /not a session file/],
    [
      'a prompt history',
      text('{"display":"fix it","pastedContents":{},"timestamp":1738160130123,"project":"/shop"}\n'),
      /typed prompts/,
    ],
    ['JSON lines of something else', text('{"a":1}\n{"b":2}\n', 'table.jsonl'), /no session records/],
    ['broken JSON', text('{"a":\n{"b":\n', 'broken.jsonl'), /not records/],
  ]
  it.each(refusals)('%s is refused with a reason', async (_what, file, reason) => {
    await expect(openFiles([file])).rejects.toThrow(reason)
  })

  it('several sessions at once are refused', async () => {
    await expect(
      openFiles([text(user('a', '1', 'x'), 'a.jsonl'), text(user('b', '2', 'y'), 'b.jsonl')]),
    ).rejects.toThrow(/2 sessions/)
  })
})

describe('several files of one session', () => {
  const agentFile = (session: string) =>
    `${JSON.stringify({ type: 'user', uuid: `u-${session}`, parentUuid: null, sessionId: session, agentId: 'k', isSidechain: true, message: { role: 'user', content: 'look' } })}\n`

  it('are read together, without the agent files of other sessions', async () => {
    const main = text(user('s', 'a', 'hello'), 's.jsonl')
    const own = text(agentFile('s'), 'agent-k.jsonl')
    const other = text(agentFile('t'), 'agent-m.jsonl')
    const head = await (await openFiles([own, other, main])).head()
    expect(head.threads.map(({ kind }) => kind)).toEqual(['main', 'subagent'])
  })
})

describe('openLocal', () => {
  /** Runs the same session code where a worker would. */
  function workerHere(): WorkerLike & { isEnded: boolean } {
    const listeners: ((event: MessageEvent<FromWorker>) => void)[] = []
    const send = (data: FromWorker) => {
      for (const listener of listeners) listener({ data } as MessageEvent<FromWorker>)
    }
    let opened: ReturnType<typeof openFiles> | undefined
    const worker: WorkerLike & { isEnded: boolean } = {
      isEnded: false,
      addEventListener: (type: string, listener: never) => {
        if (type === 'message') listeners.push(listener)
      },
      terminate: () => {
        worker.isEnded = true
      },
      postMessage: async (message: ToWorker) => {
        if (message.type === 'open') {
          opened = openFiles(message.files)
          opened.then(
            () => send({ type: 'opened' }),
            (error: Error) => send({ type: 'refused', why: error.message }),
          )
          return
        }
        const reader = await opened
        if (reader && message.question.name === 'head')
          send({ type: 'answer', id: message.id, value: await reader.head() })
        else send({ type: 'failed', id: message.id, why: 'not now' })
      },
    }
    return worker
  }

  it('asks the worker and gives its answers and refusals', async () => {
    const worker = workerHere()
    const reader = await openLocal(text(user('s', 'a', 'hi'), 's.jsonl'), { makeWorker: () => worker })
    expect((await reader.head()).id).toBe('s')
    await expect(reader.files()).rejects.toThrow('not now')
    expect(worker.isEnded).toBe(false)
    const next = workerHere()
    await expect(openLocal(text('no\n'), { makeWorker: () => next })).rejects.toThrow(/not records/)
    expect(next.isEnded).toBe(true)
    expect(worker.isEnded).toBe(false)
  })
})
