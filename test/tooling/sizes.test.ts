// Sizes are measured on the syntax tree, so braces in text must not matter.

import { afterAll, describe, expect, test } from 'vitest'
import { makeTree, removeTrees, runCheck } from './tree.ts'

const limits = { fileLines: 30, functionLines: 5, componentLines: 8, folderDepth: 2 }
const lines = (count: number, line = '  work()') => Array.from({ length: count }, () => line).join('\n')

function check(files: Record<string, string>, exceptions: unknown[] = []) {
  return runCheck('sizes.mjs', makeTree({ 'sizes.json': { limits, exceptions }, ...files }))
}

afterAll(removeTrees)

describe('sizes', () => {
  test('what is within the limits passes', () => {
    const { code, output } = check({ 'src/a.ts': `export function f() {\n${lines(3)}\n}\n`, 'src/a/b/c.ts': '' })
    expect(output).toBe('sizes: fine\n')
    expect(code).toBe(0)
  })

  test('a long file, a long function and a deep folder are named', () => {
    const { code, output } = check({
      'src/a.ts': `${lines(31, '// x')}\n`,
      'src/b.ts': `\nexport function tooLong() {\n${lines(4)}\n}\n`,
      'src/x/y/z/c.ts': 'export {}\n',
    })
    expect(code).toBe(1)
    expect(output).toContain('src/a.ts:1  the file has 31 lines, the limit is 30')
    expect(output).toContain('src/b.ts:2  tooLong has 6 lines, the limit is 5')
    expect(output).toContain('src/x/y/z/c.ts:1  lies 3 folders deep, the limit is 2')
  })

  test('methods, arrows and functions within functions are functions too', () => {
    const { output } = check({
      'src/a.ts': `export class A {\n  method(): void {\n${lines(4)}\n  }\n}\n`,
      'src/b.ts': `export const arrow = async () => {\n${lines(4)}\n}\n`,
      'src/c.ts': `export const o = { inner() {\n${lines(4)}\n} }\n`,
    })
    expect(output).toContain('src/a.ts:2  method has 6 lines')
    expect(output).toContain('src/b.ts:1  arrow has 6 lines')
    expect(output).toContain('src/c.ts:1  inner has 6 lines')
  })

  test('braces in strings, templates, patterns and comments do not count', () => {
    const tricky = [
      "export const s = '}'",
      ['export const t = `{ $', '{"}"} {`'].join(''),
      'export const p = /[{]+/',
      '// {{{{',
      '/* } */',
    ]
    const { output } = check({ 'src/a.ts': `${tricky.join('\n')}\nexport function f() {\n${lines(4)}\n}\n` })
    expect(output).toBe('src/a.ts:6  f has 6 lines, the limit is 5. Give its parts names of their own.\n')
  })

  test('a view component may be longer than a function', () => {
    const body = `{\n${lines(4)}\n  return <p>it's {'}'}</p>\n}\n`
    expect(check({ 'web/a.tsx': `export function Page() ${body}` }).code).toBe(0)
    expect(check({ 'web/a.tsx': `export function page() ${body}` }).output).toContain('page has 7 lines')
  })

  test('a describe block is a list of tests, a test is a function', () => {
    const { output } = check({
      'test/a.test.ts': `describe('all', () => {\n${lines(8)}\n})\ntest('one', () => {\n${lines(4)}\n})\n`,
    })
    expect(output).toContain('test/a.test.ts:11  a function has 6 lines')
    expect(output).not.toContain('test/a.test.ts:1 ')
  })

  test('an exception needs a reason and must be needed', () => {
    const long = { 'src/a.ts': `export function f() {\n${lines(4)}\n}\n` }
    expect(check(long, [{ path: 'src/a.ts', name: 'f', reason: 'one table' }]).code).toBe(0)
    expect(check(long, [{ path: 'src/a.ts', name: 'f', reason: '' }]).code).toBe(1)
    const stale = check({ 'src/a.ts': 'export {}\n' }, [{ path: 'src/a.ts', name: 'f', reason: 'one table' }])
    expect(stale.output).toContain('the exception for f in src/a.ts is not needed')
  })
})
