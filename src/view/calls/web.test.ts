import { expect, test } from 'vitest'
import { Sketch } from '../../graph/testing.ts'
import { allText, badgeTexts, itemsOf, partsOf, viewCallOf } from '../testing.ts'

test('a fetched page shows its status, its size and what was made of it', () => {
  const structured = {
    bytes: 2048,
    code: 404,
    codeText: 'Not Found',
    result: '# Gone',
    durationMs: 5,
    url: 'https://a.b',
  }
  const item = viewCallOf('WebFetch', { url: 'https://a.b', prompt: 'Sum up' }, { content: '# Gone', structured })
  expect(item.headline).toBe('WebFetch  https://a.b')
  expect(item.badges).toContainEqual({ text: '404 Not Found', tone: 'bad' })
  expect(badgeTexts(item)).toContain('2.0 kB')
  expect(item.body).toEqual([
    { type: 'text', text: 'Sum up', tone: 'quiet' },
    { type: 'markdown', text: '# Gone' },
  ])
})

const links = [
  { title: 'One', url: 'https://one' },
  { title: '', url: 'https://two' },
]

test('a search shows its results as names and addresses', () => {
  const structured = {
    query: 'mugs',
    results: [{ tool_use_id: 'x', content: links }, null, 'A **note**'],
    searchCount: 2,
  }
  const item = viewCallOf('WebSearch', { query: 'mugs' }, { content: 'Web search results', structured })
  expect(item.headline).toBe('WebSearch  mugs')
  expect(badgeTexts(item)).toEqual(expect.arrayContaining(['2 results', '2 searches']))
  expect(allText(item)).toBe('One: https://one\nhttps://two: https://two\nA **note**')
})

test('links that are only in the text are found there', () => {
  const content = `Web search results for query: "mugs"\n\nLinks: ${JSON.stringify(links)}\n\nMore words`
  const item = viewCallOf('WebSearch', { query: 'mugs' }, { content })
  expect(partsOf(item, 'facts')[0]?.facts).toHaveLength(2)
  expect(partsOf(item, 'markdown')[0]?.text).toContain('More words')
})

test('the search of the API itself is joined with its result in the same message', () => {
  const sketch = new Sketch().user('u1', null, 'Look').blocks(
    'a1',
    'u1',
    [
      { type: 'server_tool_use', id: 'srv1', name: 'web_search', input: { query: 'mugs' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srv1',
        content: links.map(link => ({ type: 'web_search_result', ...link })),
      },
      { type: 'text', text: 'Found.' },
    ],
    'm1',
  )
  const items = itemsOf(sketch.graph())
  expect(items.map(item => item.headline)).toEqual(['Prompt', 'web_search  mugs', 'Answer'])
  expect(allText(items[1])).toContain('One: https://one')
})
