import { describe, expect, it } from 'vitest'
import fc from '../../test/property.ts'
import { JsonScanner } from './json-scan.ts'

const encoder = new TextEncoder()

function scan(text: string): { state: string; read: string } {
  const scanner = new JsonScanner()
  const bytes = encoder.encode(text)
  const to = scanner.push(bytes)
  return { state: scanner.state, read: new TextDecoder().decode(bytes.subarray(0, to)) }
}

describe('the scanner of JSON', () => {
  it('finds the end of every object and array, whatever follows and wherever it is cut', () => {
    const value = fc.oneof(
      fc.jsonValue().map(inner => ({ inner })),
      fc.array(fc.jsonValue()),
    )
    fc.assert(
      fc.property(value, fc.nat(3), fc.string(), fc.nat(), (found, indent, rest, cut) => {
        const text = JSON.stringify(found, null, indent)
        expect(scan(text + rest)).toEqual({ state: 'ended', read: text })
        const bytes = encoder.encode(text)
        const at = cut % bytes.length
        const scanner = new JsonScanner()
        scanner.push(bytes.subarray(0, at))
        expect(scanner.state).toBe('open')
        scanner.push(bytes.subarray(at))
        expect(scanner.state).toBe('ended')
      }),
    )
  })

  it.each(['{"a":1,\n{"b":2}', '{"a" 1', '{"a":"x\ny"}', '{,', '[1,,', '{"a":1]', 'x}', '}'])(
    'breaks where no JSON can follow: %j',
    text => {
      const { state } = scan(text)
      expect(state === 'broken' || text.startsWith('x')).toBe(true)
    },
  )

  it.each(['{', '{"a', '{"a":', '{"a":1,', '{"a":[1,', '{"a":{"b":2}', '{"a":tru'])('waits for more: %j', text => {
    expect(scan(text).state).toBe('open')
  })
})
