import { expect, it } from 'vitest'
import { largestLine } from '../decode/lines.ts'
import { isText, textEnd } from './stored-texts.ts'

it('takes NULs between words for a text, and a picture for none', () => {
  expect(isText(Buffer.from('a.ts\0b.ts\0'))).toBe(true)
  expect(isText(Buffer.from('caf\u00e9', 'latin1'))).toBe(true)
  expect(isText(Buffer.from('\u0089PNG\r\n\0\0', 'latin1'))).toBe(false)
  // The 64 KiB that are looked at end in the middle of a character.
  expect(isText(Buffer.from(`\0${'\u00e9'.repeat(40_000)}`))).toBe(true)
})

it('divides a very large file into texts of whole lines, and only where a line is too long within it', () => {
  const bytes = Buffer.alloc(largestLine + 10, 'x')
  expect(textEnd(bytes.subarray(0, largestLine))).toBe(largestLine)
  expect(textEnd(bytes)).toBe(largestLine)
  bytes[largestLine - 100] = 0x0a
  bytes[largestLine] = 0x0a
  expect(textEnd(bytes)).toBe(largestLine - 99)
  expect(textEnd(bytes.subarray(largestLine - 99))).toBe(109)
})
