import { describe, expect, it } from 'vitest'
import { Sketch } from './testing.ts'
import { fileOfCall, touchedFile } from './touched-file.ts'

const pathOf = (path: string, cwd?: string) => fileOfCall({ name: 'Read', input: { file_path: path } }, cwd)?.path

describe('the file of a call', () => {
  it.each([
    ['Read', { file_path: '/a.ts' }, { path: '/a.ts', touch: 'read' }],
    ['View', { file_path: '/a.ts' }, { path: '/a.ts', touch: 'read' }],
    ['NotebookRead', { notebook_path: '/a.ipynb' }, { path: '/a.ipynb', touch: 'read' }],
    ['Write', { file_path: '/a.ts', content: '' }, { path: '/a.ts', touch: 'write' }],
    ['Replace', { file_path: '/a.ts', content: '' }, { path: '/a.ts', touch: 'write' }],
    ['Edit', { file_path: '/a.ts' }, { path: '/a.ts', touch: 'edit' }],
    ['MultiEdit', { file_path: '/a.ts', edits: [{}, {}] }, { path: '/a.ts', touch: 'edit' }],
    ['NotebookEdit', { notebook_path: '/a.ipynb' }, { path: '/a.ipynb', touch: 'edit' }],
    ['NotebookEditCell', { notebook_path: '/a.ipynb' }, { path: '/a.ipynb', touch: 'edit' }],
    ['Grep', { pattern: 'x', path: '/src' }, { path: '/src', touch: 'other' }],
    ['LSP', { filePath: '/a.ts' }, { path: '/a.ts', touch: 'other' }],
    ['mcp__shop__stock', { path: '/a.ts' }, { path: '/a.ts', touch: 'other' }],
  ])('of %s with %j is known', (name, input, file) => {
    expect(fileOfCall({ name, input })).toEqual(file)
  })

  it.each([
    undefined,
    null,
    'text',
    [],
    {},
    { file_path: '' },
    { file_path: 7 },
    { file_path: `/${'a'.repeat(4096)}` },
  ])('is not known where the input names none', input => expect(fileOfCall({ name: 'Read', input })).toBeUndefined())

  it.each([
    ['src/a.ts', '/home/mara/app', '/home/mara/app/src/a.ts'],
    ['./src/../a.ts', '/home/mara/app/', '/home/mara/app/a.ts'],
    ['/home//mara/./app/../b.ts', undefined, '/home/mara/b.ts'],
    ['/home/mara/app/', undefined, '/home/mara/app'],
    ['/../..', undefined, '/'],
    ['/home/mara/.env', '/home', '/home/mara/.env'],
    ['a\\b.ts', '/home/mara', '/home/mara/a\\b.ts'],
    ['src/a.ts', undefined, 'src/a.ts'],
    ['src/a.ts', 'app', 'src/a.ts'],
    ['~/notes.md', '/home/mara', '~/notes.md'],
    ['c:/Users/mara/a.ts', undefined, 'C:\\Users\\mara\\a.ts'],
    ['C:\\Users\\mara\\.\\a.ts', 'C:\\Users', 'C:\\Users\\mara\\a.ts'],
    ['src/a.ts', 'C:\\Users\\mara', 'C:\\Users\\mara\\src\\a.ts'],
    ['/c/Users/mara/a.ts', 'C:\\Users\\mara', 'C:\\Users\\mara\\a.ts'],
    ['/c/Users/mara/a.ts', '/home/mara', '/c/Users/mara/a.ts'],
    ['\\\\server\\share/a.ts', undefined, '\\\\server\\share\\a.ts'],
  ])('is one place however it is written: %s in %s', (path, cwd, place) => {
    expect(pathOf(path, cwd)).toBe(place)
    expect(pathOf(place, cwd)).toBe(place)
  })
})

describe('the file that a call touched', () => {
  const call = (outcome: { is_error: boolean } | undefined, name = 'Edit') => {
    const sketch = new Sketch('s')
      .user('u', null, 'Go')
      .call('a', 'u', 'toolu_1', name, { file_path: 'a.ts' }, { cwd: '/app' })
    if (outcome !== undefined) sketch.result('r', 'a', 'toolu_1', 'so it is', outcome)
    return sketch.graph().toolCalls.map(touchedFile)
  }

  it('is that of a call that worked', () =>
    expect(call({ is_error: false })).toEqual([{ path: '/app/a.ts', touch: 'edit' }]))
  it('is none where the call failed', () => expect(call({ is_error: true })).toEqual([undefined]))
  it('is none where the call has no result', () => expect(call(undefined)).toEqual([undefined]))
  it('is none where the tool only searches', () => expect(call({ is_error: false }, 'Grep')).toEqual([undefined]))
})
