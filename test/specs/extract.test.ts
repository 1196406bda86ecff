// Reading examples out of a specification's text, shown on small invented texts.

import { describe, expect, test } from 'vitest'
import { fencesOf, splitFences } from './extract.ts'
import { looseJson } from './loose-json.ts'

describe('loose JSON', () => {
  test('comments go, but not what looks like one inside a text', () => {
    const source = '{ // first\n "a": "https://x/*y*/", /* second */ "b": 1 // last\n}'
    expect(looseJson(source)).toEqual([{ a: 'https://x/*y*/', b: 1 }])
  })

  test('dots stand for what is left out', () => {
    expect(looseJson('{"a": {...}, "b": [ ... ], "c": "msg-...", ...}')).toEqual([{ a: {}, b: [], c: 'msg-...' }])
    expect(looseJson('[\n  1,\n  // more\n  ...\n]')).toEqual([[1]])
  })

  test('each alternative gives a variant', () => {
    expect(looseJson('{"type": "a" | "b" | "c"}')).toEqual([{ type: 'a' }, { type: 'b' }, { type: 'c' }])
    expect(looseJson('{"type": "x|y", "parent": "id or null"}')).toEqual([
      { type: 'x', parent: 'id' },
      { type: 'y', parent: null },
    ])
  })

  test('what is no JSON at all is not read', () => {
    expect(looseJson('interface A { b: string; }')).toBeUndefined()
    expect(looseJson('{"a": }')).toBeUndefined()
  })
})

describe('places', () => {
  test('a block is named by its headings and counted under them', () => {
    const text = '# T\n## A\n```json\n{}\n```\n### `B`\n```json\n[]\n```\n   ```json\n   1\n   ```\n## C\n```\nx\n```\n'
    expect(fencesOf('000', text).map(fence => fence.place)).toEqual([
      '000 A #1',
      '000 A / B #1',
      '000 A / B #2',
      '000 C #1',
    ])
  })

  test('a text on one line has its headings and blocks found again', () => {
    const text =
      '# Any ## File Format words ## Content Block Types ### Text Block ```json { "a": 1 } ``` ## Usage Object more'
    const { examples } = splitFences(fencesOf('001', text))
    expect(examples).toMatchObject([{ place: '001 Content Block Types / Text Block #1', variants: [{ a: 1 }] }])
  })

  test('JSON, drawings and other languages are told apart', () => {
    const text = '## A\n```json\n{"a": 1}\n```\n```json\n{"a" 1}\n```\n```\na ─► b\n```\n```typescript\nx\n```\n'
    const { examples, drawings, unreadable } = splitFences(fencesOf('004', text))
    expect([examples.length, drawings.length, unreadable.length]).toEqual([1, 1, 1])
  })
})
