import { expect, test } from 'vitest'
import { allText, badgeTexts, partsOf, viewCallOf } from '../testing.ts'

const path = '/s/cart.ts'
const edit = { file_path: path, old_string: 'sum', new_string: 'total' }

test('an edit shows the patch of the log', () => {
  const structuredPatch = [
    {
      oldStart: 4,
      oldLines: 2,
      newStart: 4,
      newLines: 2,
      lines: [' let a', '-sum', '+total', '\\ No newline at end of file'],
    },
  ]
  const structured = { filePath: path, structuredPatch, userModified: true, replaceAll: false, originalFile: null }
  const item = viewCallOf('Edit', edit, { content: 'The file has been updated.', structured })
  expect(item.headline).toBe(`Edit  ${path}`)
  expect(badgeTexts(item)).toEqual(expect.arrayContaining(['+1', '-1', 'changed by the user']))
  expect(item.body).toEqual([
    {
      type: 'diff',
      path,
      added: 1,
      removed: 1,
      hunks: [
        {
          oldStart: 4,
          newStart: 4,
          lines: [
            { sign: ' ', text: 'let a' },
            { sign: '-', text: 'sum' },
            { sign: '+', text: 'total' },
          ],
        },
      ],
    },
  ])
})

test('without a patch it is worked out from the strings, and says so', () => {
  const item = viewCallOf('Edit', { ...edit, replace_all: true }, {})
  expect(partsOf(item, 'diff')[0]).toMatchObject({ isComputed: true, added: 1, removed: 1 })
  expect(badgeTexts(item)).toContain('replace all')
})

test('with the original file a computed patch has its place in it', () => {
  const structured = { originalFile: 'a\nb\nc\nd\ne\nlet sum = 1 // $&\n' }
  const input = { ...edit, new_string: '$& total' }
  const hunk = partsOf(viewCallOf('Edit', input, { structured }), 'diff')[0]?.hunks[0]
  expect(hunk?.oldStart).toBe(3)
  expect(hunk?.lines.at(-1)).toEqual({ sign: '+', text: 'let $& total = 1 // $&' })
})

test('a failed edit shows why before what it wanted', () => {
  const content = '<tool_use_error>String to replace not found in file.</tool_use_error>'
  const item = viewCallOf('Edit', edit, { content, isError: true })
  expect(item.body.map(part => part.type)).toEqual(['text', 'diff'])
  expect(badgeTexts(item).filter(text => /^[+-]\d/.test(text))).toEqual([])
  expect(badgeTexts(item)).toContain('failed')
  expect(item.body[0]).toMatchObject({ tone: 'bad', text: 'String to replace not found in file.' })
})

test('several edits of one file are one diff', () => {
  const edits = [
    { old_string: 'a', new_string: 'x' },
    { old_string: 'x', new_string: 'y', replace_all: true },
  ]
  const structured = { originalFileContents: 'a\nb\n', edits, filePath: path }
  const item = viewCallOf('MultiEdit', { file_path: path, edits }, { structured })
  expect(allText(item)).toBe('-a\n+y\n b')
  expect(badgeTexts(item)).toEqual(expect.arrayContaining(['2 edits', 'replace all']))
  const apart = viewCallOf('MultiEdit', { file_path: path, edits }, {})
  expect(partsOf(apart, 'diff')[0]?.hunks).toHaveLength(2)
})

test('a new file is all added, an overwritten one is compared', () => {
  const created = viewCallOf(
    'Write',
    { file_path: path, content: 'one\ntwo\n' },
    { structured: { type: 'create', filePath: path, content: 'one\ntwo\n', structuredPatch: [], originalFile: null } },
  )
  expect(allText(created)).toBe('+one\n+two')
  expect(badgeTexts(created)).toEqual(expect.arrayContaining(['+2', 'new file']))
  expect(partsOf(created, 'diff')[0]?.isComputed).toBeUndefined()
  const updated = viewCallOf(
    'Write',
    { file_path: path, content: 'one\n2\n' },
    { structured: { type: 'update', content: 'one\n2\n', originalFile: 'one\ntwo\n' } },
  )
  expect(allText(updated)).toBe(' one\n-two\n+2')
  expect(partsOf(updated, 'diff')[0]?.isComputed).toBe(true)
})

test('a notebook cell shows its new source', () => {
  const input = { notebook_path: '/s/n.ipynb', cell_number: 2, new_source: 'x = 2', edit_mode: 'replace' }
  const item = viewCallOf('NotebookEdit', input, { structured: { ...input, error: '' } })
  expect(item.headline).toBe('NotebookEdit  /s/n.ipynb')
  expect(badgeTexts(item)).toContain('replace cell 2')
  expect(allText(item)).toBe('+x = 2')
})
