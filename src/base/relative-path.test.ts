import { expect, it } from 'vitest'
import { relativePath } from './relative-path.ts'

it.each([
  ['/home/mira/shop/src/cart.ts', '/home/mira/shop', 'src/cart.ts'],
  ['/home/mira/shop/src/cart.ts', '/home/mira/shop/', 'src/cart.ts'],
  ['/home/mira/shopping/a.ts', '/home/mira/shop', '/home/mira/shopping/a.ts'],
  ['/home/mira/shop', '/home/mira/shop', '/home/mira/shop'],
  ['C:\\code\\Shop\\src\\cart.ts', 'C:\\code\\shop', 'src\\cart.ts'],
  ['c:/code/shop/src/cart.ts', 'C:\\code\\shop', 'src/cart.ts'],
  ['C:\\code\\shopping\\a.ts', 'C:\\code\\shop', 'C:\\code\\shopping\\a.ts'],
  ['/a/b', null, '/a/b'],
  ['/a/b', '', '/a/b'],
])('%s in %s is %s', (path, folder, expected) => {
  expect(relativePath(path, folder)).toBe(expected)
})
