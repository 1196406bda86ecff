import { describe, expect, it } from 'vitest'
import type { FileStep, FileTouched } from '../../src/view/reading.ts'
import type { ViewItem } from '../../src/view/view.ts'
import { filesWith, itemOf, stepRuns } from './screen.tsx'
import { namedFiles, treeRows } from './tree.ts'

const step = (kind: FileStep['kind'], event = 'e', tool = 'Edit'): FileStep => ({
  event,
  thread: 's',
  slot: 0,
  at: null,
  tool,
  status: 'done',
  kind,
})
const file = (path: string): FileTouched => ({ path, reads: 0, added: 0, removed: 0, steps: [] })
const call = (headline: string, path?: string): ViewItem =>
  ({
    id: 'e',
    kind: 'call',
    headline,
    body: path === undefined ? [] : [{ type: 'diff', path, hunks: [], added: 0, removed: 0 }],
  }) as unknown as ViewItem

describe('names of files', () => {
  it('are distinguished from the working directory, and only from there', () => {
    const paths = ['/shop/src/cart.ts', '/shop/a.md', '/shop2/b.ts', 'C:\\x\\y.ts', '/']
    const named = namedFiles(paths.map(file), '/shop')
    expect(named.map(({ folder, name }) => [folder, name])).toEqual([
      ['src/', 'cart.ts'],
      ['', 'a.md'],
      ['/shop2/', 'b.ts'],
      ['C:\\x\\', 'y.ts'],
      ['/', '/'],
    ])
    expect(filesWith(named, 'SHOP cart').map(({ at }) => at)).toEqual([0])
  })
})

describe('runs of steps', () => {
  it('fold reads that follow each other and number the changes', () => {
    const runs = stepRuns([step('read'), step('read'), step('edit'), step('read'), step('write')])
    expect(runs.map(run => (run.type === 'reads' ? run.steps.length : `#${run.number}`))).toEqual([2, '#1', 1, '#2'])
  })
})

describe('the item of a step', () => {
  it('is the event’s call, and among several the one for the file', () => {
    const [one, other] = [call('Edit src/a.ts', 'src/a.ts'), call('Edit src/b.ts', 'src/b.ts')]
    expect(itemOf([one], step('edit'), '/shop/src/zzz.ts')).toBe(one)
    expect(itemOf([one, other], step('edit'), '/shop/src/b.ts')).toBe(other)
    expect(itemOf([one, other], step('edit', 'another'), '/shop/src/b.ts')).toBeUndefined()
  })
})

describe('the tree of files', () => {
  const named = namedFiles(['/p/src/a/one.ts', '/p/src/a/b/two.ts', '/p/readme.md', '/p/docs/x/y/z.md'].map(file), '/p')
  const shown = (closed: string[] = []) =>
    treeRows(named, new Set(closed)).map(
      row => `${'.'.repeat(row.depth)}${row.type === 'file' ? row.file.name : row.name}`,
    )

  it('has folders before files, and folders with one folder in them as one', () => {
    expect(shown()).toEqual(['docs/x/y/', '.z.md', 'src/a/', '.b/', '..two.ts', '.one.ts', 'readme.md'])
  })

  it('does not show what is in a closed folder', () => {
    expect(shown(['src/a/'])).toEqual(['docs/x/y/', '.z.md', 'src/a/', 'readme.md'])
  })
})
