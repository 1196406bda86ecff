import { expect, test } from 'vitest'
import { readJsonText, withJsonItem, withJsonValue, withoutJsonValue } from './json-edit.ts'

const commented = '{\n\t// mine\n\t"a": 1, /* and */\n\t"list": [\n\t\t1\n\t]\n}\n'

test('comments and commas at the end are read; anything else that is no JSON is not', () => {
  expect(readJsonText(commented)).toEqual({ a: 1, list: [1] })
  expect(readJsonText('[1, 2,]')).toEqual([1, 2])
  for (const text of ['', '{', '{a: 1}', '\ufeff{}', '{} {}', 'x']) expect(readJsonText(text), text).toBeUndefined()
})

test('a value is put, changed and taken out without a change of anything else', () => {
  expect(withJsonValue(commented, ['a'], 'x')).toBe(commented.replace('"a": 1', '"a": "x"'))
  expect(withJsonValue(commented, ['b'], [1])).toBe(commented.replace('\t]\n}', '\t],\n\t"b": [\n\t\t1\n\t]\n}'))
  expect(withoutJsonValue(commented, ['list'])).toBe('{\n\t// mine\n\t"a": 1\n}\n')
  expect(withoutJsonValue(commented, ['a'])).toBe('{\n\t// mine\n\t"list": [\n\t\t1\n\t]\n}\n')
  expect(withoutJsonValue('{"a":[1, 2,3]}', ['a', 1])).toBe('{"a":[1,3]}')
  expect(withoutJsonValue('{ "a": 1 }', ['a'])).toBe('{  }')
  expect(withoutJsonValue(commented, ['none'])).toBe(commented)
  expect(withJsonValue('{"a":1}', ['b', 'c'], 2)).toBe('{"a":1,"b": {"c":2}}')
})

test('an item is put at the end of a list, which is made where there is none', () => {
  expect(withJsonItem(commented, ['list'], 2)).toBe(commented.replace('\t\t1\n', '\t\t1,\n\t\t2\n'))
  expect(readJsonText(withJsonItem('{}', ['a', 'b'], 1))).toEqual({ a: { b: [1] } })
  expect(withJsonItem('{\r\n  "a": []\r\n}', ['b'], 1)).toBe('{\r\n  "a": [],\r\n  "b": [\r\n    1\r\n  ]\r\n}')
})
