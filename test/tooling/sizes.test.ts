import { afterAll, expect, test } from 'vitest'
import { makeTree, removeTrees, runCheck } from './tree.ts'

afterAll(removeTrees)

const body = (lines: number) => `export function f() {\n${'  g()\n'.repeat(lines)}}\n`

test('prints lines without tests and the longest functions', () => {
  const { code, output } = runCheck(
    'sizes.mjs',
    makeTree({ 'src/a.ts': body(3), 'src/b.ts': body(8), 'src/a.test.ts': body(90), 'web/c.tsx': body(1) }),
  )
  expect(code).toBe(0)
  expect(output).toContain('src: 15 lines in 2 files without tests\nweb: 3 lines in 1 files without tests\n')
  expect(output).toContain('longest functions:\n  10 f src/b.ts:1\n  5 f src/a.ts:1\n')
})

test('fails where a folder has more than 40 files', () => {
  const files = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`src/x/${at}.ts`, 'export {}\n']))
  expect(runCheck('sizes.mjs', makeTree(files(40))).code).toBe(0)
  const { code, output } = runCheck('sizes.mjs', makeTree(files(41)))
  expect(code).toBe(1)
  expect(output).toContain('src/x  has 41 files')
})
