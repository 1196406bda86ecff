import { expect, test } from 'vitest'
import { setField } from './json-text.ts'

const record = '{"a":{"b" : "ü\\u00fc"},  "c":[1,{"d":2}],"e":null}'

test('one field is set and every other byte stays', () => {
  expect(setField(record, ['a', 'b'], 'x')).toBe(record.replace('"ü\\u00fc"', '"x"'))
  expect(setField(record, ['e'], { f: 1 })).toBe(record.replace('null', '{"f":1}'))
  expect(setField(record, ['a', 'g', 'h'], 1)).toBe(record.replace('"}', '","g":{"h":1}}'))
  expect(setField('{}', ['a'], 1)).toBe('{"a":1}')
})

test('a field is taken out, and what is not there or is no object stays', () => {
  expect(setField(record, ['e'], undefined)).toBe(record.replace(',"e":null', ''))
  expect(setField(record, ['a', 'x'], undefined)).toBe(record)
  expect(setField(record, ['c', 'd'], 1)).toBe(record)
})

test('of two fields of one name the last is set, which is the one that counts', () => {
  expect(setField('{"a":1,"a":2}', ['a'], 3)).toBe('{"a":1,"a":3}')
})
