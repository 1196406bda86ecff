import { expect, test } from 'vitest'
import { languageOf } from './language.ts'

test.each([
  ['/s/src/cart.ts', 'ts'],
  ['C:\\shop\\Cart.TSX', 'tsx'],
  ['Dockerfile', 'docker'],
  ['/s/Dockerfile.dev', 'docker'],
  ['Makefile', 'makefile'],
  ['notes.txt', undefined],
  ['x.constructor', undefined],
  ['noext', undefined],
  ['', undefined],
])('the language of %s is %s', (path, language) => {
  expect(languageOf(path)).toBe(language)
})
