// Damage that no specification speaks of: what is reported, and what looks like it and is fine.

import { describe, expect, test } from 'vitest'
import fc from '../../test/property.ts'
import { type Case, defaultSession, runCase } from '../../test/rules/fixture.ts'
import { answerLine, text, toolResult, toolUse, userLine, uuid } from '../../test/rules/lines.ts'
import { repeatedKey } from './damage.ts'

const bash = (id: string) => toolUse(id, 'Bash', { command: 'ls' })

/** Lines at which a code is reported, as warnings. */
async function linesWith(code: string, shape: Case): Promise<(number | undefined)[]> {
  const { findings } = await runCase(shape, 'real')
  return findings.filter(found => found.code === code && found.severity === 'warning').map(({ line }) => line)
}

describe('NUL bytes', () => {
  test('are reported before a record and instead of one', async () => {
    const [first, second] = [userLine(1, 'hello'), userLine(2, 'x')].map(line => JSON.stringify(line))
    expect(await linesWith('nul-bytes', { content: `${first}\n\0\0\0${second}\n` })).toEqual([2])
    expect(await linesWith('nul-bytes', { content: `${first}\n\0\0\0\n${second}\n` })).toEqual([2])
  })

  test('are fine inside a text, where JSON escapes them', async () => {
    expect(await linesWith('nul-bytes', [userLine(1, 'a\0b')])).toEqual([])
  })
})

describe('half a character', () => {
  test('is reported wherever a text has it', async () => {
    expect(await linesWith('lone-surrogate', [userLine(1, 'cut \ud83d'), userLine(2, 'fine 🙂')])).toEqual([1])
    const deep = answerLine(2, [toolUse('toolu_1', 'Write', { file_path: '/a', content: '\ude42 tail' })])
    expect(await linesWith('lone-surrogate', [userLine(1, 'hello'), deep])).toEqual([2])
  })
})

describe('a key twice in one object', () => {
  test('is reported with the record', async () => {
    const line = JSON.stringify(userLine(1, 'hello')).replace('"role":"user"', '"role":"user","role":"user"')
    expect(await linesWith('duplicate-key', [line, userLine(2, 'x')])).toEqual([1])
  })

  test('is found by what the key means, not by how it is written', () => {
    expect(repeatedKey('{"a":1,"\\u0061":2}')).toBe('a')
    expect(repeatedKey('{"a":{"b":[{"c":1},{"c":2}]},"b":{"a":1}}')).toBeUndefined()
    expect(repeatedKey('{"a":"{\\"b\\":1,\\"b\\":2}","c":"\\\\"}')).toBeUndefined()
    expect(repeatedKey('[{"a":[1,{"b":1,"c":[],"b":2}]}]')).toBe('b')
  })

  test('is never found in what a program writes', () => {
    fc.assert(fc.property(fc.jsonValue(), value => void expect(repeatedKey(JSON.stringify(value))).toBeUndefined()))
  })

  test('is looked for in any text without failing', () => {
    fc.assert(fc.property(fc.string(), any => void repeatedKey(any)))
    expect(repeatedKey(`${'{"a":'.repeat(100_000)}`)).toBeUndefined()
  })
})

describe('two results of one call', () => {
  const asked = [userLine(1, 'hello'), answerLine(2, [bash('toolu_1')]), userLine(3, [toolResult('toolu_1', 'one')])]

  test('are reported at the second', async () => {
    const second = userLine(4, [toolResult('toolu_1', 'two')], { parentUuid: uuid(2) })
    expect(await linesWith('second-result', [...asked, second])).toEqual([4])
  })

  test('are reported within one record', async () => {
    const both = userLine(3, [toolResult('toolu_1', 'one'), toolResult('toolu_1', 'two')])
    expect(await linesWith('second-result', [...asked.slice(0, 2), both])).toEqual([3])
  })

  test('are fine where a record was copied, and where a request is logged as it was sent', async () => {
    const sent = (role: string, block: object) => ({
      type: 'api-request-blob',
      sessionId: defaultSession,
      message: { role, content: [block] },
    })
    const blob = sent('user', toolResult('toolu_1', 'one'))
    const call = sent('assistant', bash('toolu_1'))
    const { findings } = await runCase([...asked, blob, call], 'real')
    expect(findings.filter(({ severity }) => severity !== 'info')).toEqual([])
    expect(await linesWith('second-result', [...asked, asked[2] ?? {}])).toEqual([])
  })
})

describe('two writers', () => {
  const child = (n: number, of: number) => ({ parentUuid: uuid(of), uuid: uuid(n) })
  const start = [userLine(1, 'hello'), answerLine(2, [text('hi')])]
  const prompt = (n: number, of: number) => userLine(n, `prompt ${n}`, child(n, of))
  const answer = (n: number, of: number, id = `msg_${n}`) => answerLine(n, [text(`answer ${n}`)], { id }, child(n, of))

  test('are reported where two conversations alternate', async () => {
    const lines = [...start, prompt(3, 2), prompt(4, 2), answer(5, 3), answer(6, 4), prompt(7, 5), prompt(8, 6)]
    expect(await linesWith('interleaved-writers', lines)).toEqual([5])
  })

  test('are reported where the parts of two answers alternate', async () => {
    const parts = [answer(5, 3, 'a'), answer(6, 4, 'b'), answer(7, 5, 'a'), answer(8, 6, 'b')]
    expect(await linesWith('interleaved-writers', [...start, prompt(3, 2), prompt(4, 2), ...parts])).toEqual([5])
  })

  test('are not what a rewind leaves, nor parallel calls with their results', async () => {
    const rewound = [...start, prompt(3, 2), answer(4, 3), prompt(5, 2), answer(6, 5), prompt(7, 6), answer(8, 7)]
    expect(await linesWith('interleaved-writers', rewound)).toEqual([])
    const parallel = [
      ...start,
      prompt(3, 2),
      answerLine(4, [bash('toolu_1')], { id: 'm' }, child(4, 3)),
      userLine(5, [toolResult('toolu_1', 'one')], child(5, 4)),
      answerLine(6, [bash('toolu_2')], { id: 'm' }, child(6, 4)),
      userLine(7, [toolResult('toolu_2', 'two')], child(7, 6)),
      answer(8, 5),
      prompt(9, 8),
      answer(10, 9),
    ]
    expect(await linesWith('interleaved-writers', parallel)).toEqual([])
  })
})
