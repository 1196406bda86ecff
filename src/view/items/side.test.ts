import { expect, test } from 'vitest'
import { decodeText } from '../../decode/events.ts'
import { buildGraph } from '../../graph/graph.ts'
import { graphOf, Sketch } from '../../graph/testing.ts'
import { sessionId } from '../../model/ids.ts'
import { allText, badgeTexts, itemsOf, partsOf } from '../testing.ts'

const start = () => new Sketch().user('u1', null, 'Go')

test('attachments are quiet, named by their file, with their text folded', () => {
  const graph = start()
    .chain('attachment', 't1', 'u1', {
      attachment: {
        type: 'file',
        filename: '/s/README.md',
        displayPath: 'README.md',
        content: { type: 'text', file: { content: '# Shop' } },
      },
    })
    .chain('attachment', 't2', 't1', {
      attachment: { type: 'selected_lines_in_ide', filename: '/s/a.ts', lineStart: 3, lineEnd: 9, content: 'x' },
    })
    .chain('attachment', 't3', 't2', { attachment: { type: 'from_tomorrow', charm: 7 } })
    .graph()
  const items = itemsOf(graph, 'attachment')
  expect(items.map(item => [item.headline, item.isQuiet])).toEqual([
    ['Attached  file  README.md', true],
    ['Attached  selected lines in ide  /s/a.ts', true],
    ['Attached  from tomorrow', true],
  ])
  expect(partsOf(items[0], 'text')).toEqual([{ type: 'text', text: '# Shop', tone: 'quiet', isFolded: true }])
  expect(badgeTexts(items[1])).toEqual(['lines 3-9'])
  expect(allText(items[2])).toBe('charm: 7')
})

test('what a request to the API repeats is folded even where everything is asked for', () => {
  const graph = start()
    .chain('attachment', 't1', 'u1', { attachment: { type: 'prompt_snapshot', systemPrompt: ['You are'], tools: [] } })
    .side({ type: 'api-request-blob', hash: 'f', message: { role: 'user', content: 'Go' } })
    .graph()
  const items = [...itemsOf(graph, 'attachment'), ...itemsOf(graph, 'unknown')]
  expect(items.map(({ headline }) => headline)).toEqual(['Attached  prompt snapshot', 'Record  api-request-blob'])
  for (const item of items)
    expect(item.body).toMatchObject([{ type: 'code', language: 'json', isFolded: true, isRepeated: true }])
})

test('checkpoints list their files; empty ones, titles and states are not shown', () => {
  const snapshot = (files: object) => ({
    type: 'file-history-snapshot',
    messageId: 'u1',
    snapshot: { messageId: 'u1', trackedFileBackups: files },
  })
  const graph = start()
    .side(snapshot({}))
    .side(snapshot({ 'a.ts': {}, 'b.ts': {} }))
    .side({ type: 'custom-title', customTitle: 'Cart' })
    .side({ type: 'permission-mode', permissionMode: 'plan' })
    .graph()
  const items = itemsOf(graph).slice(1)
  expect(items.map(item => [item.headline, allText(item)])).toEqual([['Checkpoint  2 files', 'a.ts\nb.ts']])
})

test('links are shown once, however often they are written', () => {
  const link = { type: 'pr-link', prNumber: 7, prUrl: 'https://git/7', prRepository: 'shop' }
  const items = itemsOf(
    start()
      .side(link)
      .side(link)
      .side({ ...link, prUrl: 'https://git/8' })
      .graph(),
    'link',
  )
  expect(items.map(item => item.headline)).toEqual(['Pull request  https://git/7', 'Pull request  https://git/8'])
  expect(allText(items[0])).toBe('prNumber: 7\nprRepository: shop')
})

test('a record of an unknown type is kept whole, quietly', () => {
  const [item] = itemsOf(
    start()
      .chain('hologram', 'x1', 'u1', { beams: [1, 2] })
      .graph(),
    'unknown',
  )
  expect(item).toMatchObject({ headline: 'Record  hologram', isQuiet: true, id: 'x1' })
  expect(partsOf(item, 'code')[0]).toMatchObject({ language: 'json', isFolded: true })
  expect(allText(item)).toContain('"beams"')
})

test('damaged bytes say where they are and how many', () => {
  const text = `${start().text()}{"type":"user","broken\n{"type":"mode","sessionId":"s"}\n{"cut`
  const { events } = decodeText(text, { session: 's', file: 's.jsonl' })
  const items = itemsOf(buildGraph(sessionId('s'), [{ path: 's.jsonl', role: 'session', events }]), 'damaged')
  expect(items.map(item => item.headline)).toEqual(['Damaged bytes  line 2', 'Unfinished last line  line 4'])
  expect(badgeTexts(items[0])).toEqual(['23 B'])
  expect(partsOf(items[0], 'facts')[0]?.facts.map(fact => fact.name)).toEqual(['file', 'line', 'offset', 'bytes'])
  expect(items[0]?.isQuiet).toBe(false)
})

test('records that repeat earlier ones are not shown twice but counted', () => {
  const sketch = start().answer('a1', 'u1', 'Hello')
  const again = new Sketch().user('u1', null, 'Go').answer('a1', 'u1', 'Hello').answer('a2', 'a1', 'More')
  const items = itemsOf(sketch.graph(again.file({ path: 'second.jsonl' })))
  expect(items.map(item => item.headline)).toEqual(['Prompt', 'Answer', '2 records repeated from earlier', 'Answer'])
  expect(items[2]?.isQuiet).toBe(true)
  expect(allText(items[2])).toContain('second.jsonl')
})

test('progress without a call is quiet, a run of it one item', () => {
  const progress = (data: object) => ({ toolUseID: 'none', parentToolUseID: 'none', data })
  const hook = { type: 'hook_progress', hookEvent: 'SessionStart', hookName: 'SessionStart:startup', command: 'echo' }
  const graph = start()
    .chain('progress', 'p1', null, progress(hook))
    .chain('progress', 'p2', 'p1', progress(hook))
    .chain('progress', 'p3', 'p2', progress({ type: 'query_update', query: 'mugs' }))
    .graph()
  const items = itemsOf(graph).slice(1)
  expect(items.map(item => [item.kind, item.headline, badgeTexts(item).join()])).toEqual([
    ['hook', 'Hook  SessionStart:startup', '2 lines'],
    ['notice', 'Progress  query update', ''],
  ])
})

test('lines of a prompt history are prompts with what was pasted', () => {
  const graph = graphOf([
    {
      display: 'Explain [Pasted text #1]',
      pastedContents: { 1: { id: 1, type: 'text', content: 'long text' } },
      timestamp: 1770654699405,
      project: '/s',
    },
  ])
  const [item] = itemsOf(graph, 'prompt')
  expect(allText(item)).toBe('Explain [Pasted text #1]\nlong text')
  expect(partsOf(item, 'text')[0]).toMatchObject({ label: 'pasted', isFolded: true })
})
