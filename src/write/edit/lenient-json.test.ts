import { expect, test } from 'vitest'
import { readLenient } from './lenient-json.ts'

test.each([
  ['{"a":012,"b":1}', {}],
  ['{"a":1,"b":-00}', { a: 1 }],
  ['0123', undefined],
  ['[0.5,1e3,01]', [0.5, 1000]],
])('a number without its beginning is where %s is cut', (text, value) => {
  expect(readLenient(text)).toMatchObject({ isWhole: false })
  expect(readLenient(text).value).toEqual(value)
})
