import { expect, test } from 'vitest'
import { Sketch } from '../../graph/testing.ts'
import { allText, badgeTexts, itemsOf, partsOf, viewCallOf } from '../testing.ts'
import { mcpTitle } from './other.ts'

test('tools of MCP servers are named by server and tool', () => {
  expect(mcpTitle('mcp__shop_db__get__stock')).toBe('shop_db › get__stock')
  expect(mcpTitle('mcp__x')).toBeUndefined()
  const content = [{ type: 'text', text: '{"count":42}' }]
  const item = viewCallOf('mcp__shopdb__stock', { item: 'red mug', depth: { a: 1 } }, { content, structured: content })
  expect(item.headline).toBe('shopdb › stock  item red mug')
  expect(viewCallOf('mcp__sky__rain', { city: 'Lyon', days: 3 }).headline).toBe('sky › rain  city Lyon, days 3')
  expect(item.body).toEqual([
    {
      type: 'facts',
      facts: [
        { name: 'item', value: 'red mug' },
        { name: 'depth', value: '{"a":1}' },
      ],
    },
    { type: 'code', text: '{"count":42}', language: 'json' },
  ])
})

test('an unknown tool shows its whole input and its result', () => {
  const item = viewCallOf('Teleport', { description: 'To Mars', plan: 'one\ntwo' }, { content: 'gone' })
  expect(item.headline).toBe('Teleport  To Mars')
  expect(allText(item)).toBe('description: To Mars\none\ntwo\ngone')
  expect(allText(viewCallOf('Odd', ['a', 1], { content: [] }))).toBe('["a",1]')
  expect(allText(viewCallOf('Odd', 'just text', { content: [], structured: { seen: 2 } }))).toBe('just text\nseen: 2')
  expect(viewCallOf('Odd', null).badges.map(badge => badge.text)).toContain('no result')
})

test('a tool name that is not a name stays in one piece', () => {
  const name = 'Task" >\n<parameter name="description'
  expect(viewCallOf(name, {}, { content: 'No such tool', isError: true }).headline).toBe(name)
})

test('images and unknown blocks of a result are shown', () => {
  const content = [
    { type: 'text', text: 'shot' },
    { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'aGk=' } },
    { type: 'resource', resource: { uri: 'file:///a', text: 'inside' } },
    { type: 'hologram', beams: 3 },
  ]
  const item = viewCallOf('mcp__cam__shoot', {}, { content, structured: content })
  expect(item.body.map(part => part.type)).toEqual(['text', 'media', 'text', 'code'])
  expect(allText(item)).toContain('"beams": 3')
})

test('code that the API ran shows what it printed', () => {
  const sketch = new Sketch().user('u1', null, 'Count').blocks(
    'a1',
    'u1',
    [
      { type: 'server_tool_use', id: 's1', name: 'code_execution', input: { code: 'print(1)' } },
      {
        type: 'code_execution_tool_result',
        tool_use_id: 's1',
        content: { type: 'code_execution_result', stdout: '1\n', stderr: '', return_code: 0 },
      },
    ],
    'm1',
  )
  const [item] = itemsOf(sketch.graph(), 'call')
  expect(partsOf(item, 'code')[0]).toEqual({ type: 'code', text: 'print(1)', language: 'python' })
  expect(allText(item)).toContain('1\nexit code: 0')
})

test('a call that nothing answered is marked, and its input is there', () => {
  const item = viewCallOf('mcp__shopdb__stock', { item: 'mug' })
  expect(badgeTexts(item)).toContain('no result')
  expect(item.status).toBe('missing')
  expect(allText(item)).toBe('item: mug')
})

test('a tool without a form is about the file that it names', () => {
  expect(viewCallOf('NotebookEditCell', { notebook_path: 'sums.ipynb', new_source: '1' }).headline).toBe(
    'NotebookEditCell  /home/dev/shop/sums.ipynb',
  )
  expect(viewCallOf('mcp__shop__stock', { query: 'rolls', path: '/shop/stock.json' }).headline).toContain(
    '/shop/stock.json',
  )
})
