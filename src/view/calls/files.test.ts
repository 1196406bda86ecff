import { expect, test } from 'vitest'
import { allText, badgeTexts, partsOf, viewCallOf } from '../testing.ts'

const file = { filePath: '/s/cart.ts', content: 'a\nb\n', numLines: 2, startLine: 10, totalLines: 200 }

test('a part of a file shows its range, its language and where its lines begin', () => {
  const item = viewCallOf(
    'Read',
    { file_path: '/s/cart.ts', offset: 10, limit: 2 },
    { content: '    10→a\n    11→b\n', structured: { type: 'text', file } },
  )
  expect(item.headline).toBe('Read  /s/cart.ts')
  expect(badgeTexts(item)).toContain('lines 10-11 of 200')
  expect(item.body).toEqual([{ type: 'code', text: 'a\nb', language: 'ts', startLine: 10 }])
})

test('a whole file says how many lines it has', () => {
  const structured = { type: 'text', file: { ...file, startLine: 1, totalLines: 2 } }
  expect(badgeTexts(viewCallOf('Read', { file_path: '/s/cart.ts' }, { structured }))).toContain('2 lines')
})

test('without the structured result, the numbers in front of the lines are read', () => {
  const content = '    7→first\n    8→\tsecond\n    9→\n\n<system-reminder>\nBe careful\n</system-reminder>'
  const item = viewCallOf('Read', { file_path: '/s/a.py', offset: 7, limit: 3 }, { content })
  expect(badgeTexts(item)).toContain('lines 7-9')
  expect(item.body[0]).toEqual({ type: 'code', text: 'first\n\tsecond', language: 'python', startLine: 7 })
  expect(item.body[1]).toMatchObject({ type: 'text', isFolded: true })
})

test('an image is media with its size, and its data is never text', () => {
  const source = { type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' }
  const item = viewCallOf(
    'Read',
    { file_path: '/s/a.png' },
    {
      content: [{ type: 'image', source }],
      structured: {
        type: 'image',
        file: {
          base64: 'aGVsbG8=',
          type: 'image/png',
          originalSize: 1536,
          dimensions: { originalWidth: 20, originalHeight: 10 },
        },
      },
    },
  )
  expect(badgeTexts(item)).toEqual(expect.arrayContaining(['image', '1.5 kB', '20 × 10']))
  expect(item.body).toEqual([{ type: 'media', media: 'image', mediaType: 'image/png', bytes: 5 }])
})

test('a document inside the result is media', () => {
  const source = { type: 'base64', media_type: 'application/pdf', data: 'aGk=' }
  const content = [
    { type: 'text', text: 'PDF file read: a.pdf' },
    { type: 'document', source },
  ]
  const item = viewCallOf('Read', { file_path: '/s/a.pdf' }, { content, structured: { type: 'pdf', file: {} } })
  expect(partsOf(item, 'media')[0]).toMatchObject({ media: 'document', mediaType: 'application/pdf' })
})

test('a notebook shows its cells', () => {
  const cells = [
    { cellType: 'markdown', source: '# Title' },
    { cellType: 'code', source: ['x = 1\n', 'x'], language: 'python' },
  ]
  const item = viewCallOf('Read', { file_path: '/s/n.ipynb' }, { structured: { type: 'notebook', file: { cells } } })
  expect(badgeTexts(item)).toContain('2 cells')
  expect(item.body).toEqual([
    { type: 'markdown', text: '# Title' },
    { type: 'code', text: 'x = 1\nx', language: 'python' },
  ])
})

test('an unchanged file is not read again and says so', () => {
  const item = viewCallOf(
    'Read',
    { file_path: '/s/a' },
    { content: 'Unchanged', structured: { type: 'file_unchanged' } },
  )
  expect(badgeTexts(item)).toContain('unchanged since it was last read')
})

test('a file that is not there is an error', () => {
  const content = '<tool_use_error>File does not exist.</tool_use_error>'
  const item = viewCallOf(
    'Read',
    { file_path: '/s/x' },
    { content, structured: 'Error: File does not exist.', isError: true },
  )
  expect(partsOf(item, 'text')).toEqual([{ type: 'text', text: 'File does not exist.', tone: 'bad' }])
  expect(badgeTexts(item)).toContain('failed')
})

test('text that merely looks numbered in the middle stays as it is', () => {
  expect(allText(viewCallOf('Read', { file_path: '/s/x' }, { content: 'a\n    2→b' }))).toBe('a\n    2→b')
})
