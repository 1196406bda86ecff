import { expect, test } from 'vitest'
import { allText, badgeTexts, viewCallOf } from '../testing.ts'

test('a search shows pattern, place, counts and matches', () => {
  const item = viewCallOf(
    'Grep',
    { pattern: 'round\\(', path: 'src', output_mode: 'content', '-n': true },
    {
      content: 'src/a.ts:1:round(\n\n[Showing results with pagination]',
      structured: {
        mode: 'content',
        content: 'src/a.ts:1:round(',
        numFiles: 0,
        filenames: [],
        numLines: 1,
        appliedLimit: 1,
      },
    },
  )
  expect(item.headline).toBe('Grep  round\\(  in src')
  expect(badgeTexts(item)).toEqual(expect.arrayContaining(['1 line', 'cut']))
  expect(allText(item)).toBe('output_mode: content\n-n: true\nsrc/a.ts:1:round(')
})

test('files found are listed, one per line', () => {
  const structured = { filenames: ['a.ts', 'b.ts'], numFiles: 2, durationMs: 3, truncated: false, totalMatches: 40 }
  const item = viewCallOf('Glob', { pattern: '**/*.ts' }, { content: 'a.ts\nb.ts', structured })
  expect(badgeTexts(item)).toEqual(expect.arrayContaining(['2 files', 'of 40']))
  expect(allText(item)).toBe('a.ts\nb.ts')
})

test('a folder listing and a search without structure show their text', () => {
  expect(viewCallOf('LS', { path: '/s' }, { content: '- /s' }).headline).toBe('LS  /s')
  expect(allText(viewCallOf('Grep', { pattern: 'x' }, { content: 'No files found' }))).toBe('No files found')
})

test('tools that were looked for are named', () => {
  const structured = { matches: ['WebFetch'], query: 'fetch', total_deferred_tools: 9 }
  expect(allText(viewCallOf('ToolSearch', { query: 'fetch', max_results: 5 }, { structured }))).toBe('WebFetch')
  const content = [{ type: 'tool_reference', tool_name: 'WebSearch' }]
  expect(allText(viewCallOf('ToolSearch', { query: 'web' }, { content }))).toBe('tools: WebSearch')
})

test('a language server says what was asked of which file', () => {
  const item = viewCallOf('LSP', { operation: 'goToDefinition', filePath: 'a.ts' }, { structured: { resultCount: 2 } })
  expect(item.headline).toBe('LSP  go to definition  /home/dev/shop/a.ts')
  expect(badgeTexts(item)).toContain('2 results')
})
