import { describe, expect, it } from 'vitest'
import fc from '../../test/property.ts'
import { added, memberOf, partsAt, rootOf, withoutPart } from './json-edit.ts'

describe('partsAt', () => {
  it('finds members with their places, whatever their values are', () => {
    const text = ' {"a" : [1, {"x": "]}"}] ,"\\u0062":-1.5e3,"c":"\\\\\\"","d":null}'
    const { parts } = partsAt(text, rootOf(text))
    expect(parts.map(part => [part.key, text.slice(part.value, part.end)])).toEqual([
      ['a', '[1, {"x": "]}"}]'],
      ['b', '-1.5e3'],
      ['c', '"\\\\\\""'],
      ['d', 'null'],
    ])
  })

  it('takes the last of equal keys', () => {
    const text = '{"a":1,"a":2}'
    expect(memberOf(partsAt(text, 0), 'a')).toMatchObject({ start: 7, value: 11 })
  })
})

describe('added and withoutPart', () => {
  it('add what JSON.parse then reads, and take it out to the byte, in any object and list', () => {
    const indents = fc.constantFrom<string | number>(0, 1, 2, 4, '\t')
    const ends = fc.constantFrom('', '\n', '\r\n')
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue({ maxDepth: 3 }), { minLength: 1 }),
        fc.jsonValue(),
        indents,
        ends,
        (list, value, indent, end) => {
          const text = `${JSON.stringify(list, null, indent)}${end}`
          const more = added(text, rootOf(text), value)
          expect(JSON.parse(more)).toEqual(JSON.parse(JSON.stringify([...list, value])))
          expect(withoutPart(more, rootOf(more), list.length)).toBe(text)
          const object = `{"k": ${text}}`
          const members = added(object, 0, value, 'new "key"')
          expect(JSON.parse(members)).toEqual({ ...JSON.parse(object), 'new "key"': JSON.parse(JSON.stringify(value)) })
          expect(withoutPart(members, 0, 1)).toBe(object)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('take any part out and leave the others', () => {
    const text = '[\n  1,\n  [2],\n  "3"\n]'
    expect([0, 1, 2].map(index => JSON.parse(withoutPart(text, 0, index)))).toEqual([
      [[2], '3'],
      [1, '3'],
      [1, [2]],
    ])
    expect(withoutPart('[ 1 ]', 0, 0)).toBe('[]')
  })
})
