// Fixtures of the rules of kind validation: damaged lines, ids, times and values.

import { textToBytes } from '../../../src/base/bytes.ts'
import { defaultSession, type Fixture } from '../fixture.ts'
import { answer, at, boundary, call, compactSummary, id, result, s3, user } from './make.ts'

const two = [user(1, null), answer(2, 1)]
const compacted = [boundary(3, 2), compactSummary(4, 3)]
const text = (...lines: readonly object[]): string => lines.map(line => `${JSON.stringify(line)}\n`).join('')
const image = (source: object) => [{ type: 'image', source }]

const lineFixtures: Fixture[] = [
  {
    code: 'glued-line',
    follows: two,
    breaks: { content: `${JSON.stringify(user(1, null))}${JSON.stringify(answer(2, 1))}\n` },
  },
  { code: 'malformed-line', follows: two, breaks: [user(1, null), 'not json at all', answer(2, 1)] },
  { code: 'line-not-object', follows: two, breaks: [user(1, null), '["a list"]', '', answer(2, 1)] },
  { code: 'comma-between-lines', follows: two, breaks: [`${JSON.stringify(user(1, null))},`, answer(2, 1)] },
  {
    code: 'array-wrapper',
    follows: two,
    breaks: { content: `[\n${two.map(line => JSON.stringify(line)).join(',\n')}\n]\n` },
  },
  {
    code: 'encoding-not-utf8',
    follows: [user(1, null, 'Größe 📏')],
    breaks: [new Uint8Array([...textToBytes('{"type":"user","message":"caf'), 0xe9, ...textToBytes('"}')])],
  },
  {
    code: 'line-terminator-not-lf',
    follows: two,
    breaks: { content: text(...two).replaceAll('\n', '\r\n') },
    in: { real: { breaks: { content: text(...two).trimEnd() } } },
  },
  { code: 'torn-tail', follows: two, breaks: { content: `${text(...two)}{"type":"user","uuid":"0000` } },
]

const idFixtures: Fixture[] = [
  {
    code: 'uuid-invalid',
    follows: two,
    breaks: [user(1, null), answer(2, 1, undefined, { uuid: 'msg_2' })],
    in: { s4: { breaks: [user(1, null), answer(2, 1, undefined, { parentUuid: 'msg_1' })] } },
  },
  {
    code: 'uuid-not-v4',
    follows: two,
    breaks: [user(1, null, 'Hello', { uuid: '00000000-0000-7000-8000-000000000001' })],
  },
  { code: 'duplicate-uuid', follows: two, breaks: [user(1, null), answer(2, 1), answer(2, 1)] },
  {
    code: 'duplicate-uuid',
    only: ['real'],
    follows: { files: [{ name: 'agent-a1.jsonl', lines: [...two, ...two] }] },
    breaks: { files: [{ name: 'agent-a1.jsonl', lines: [...two, user(2, 1, 'Other')] }] },
  },
  {
    code: 'duplicate-uuid',
    only: ['real'],
    follows: [...two, ...two, ...compacted, ...compacted, boundary(5, 4), user(6, 5)],
    breaks: [...two, ...compacted, ...compacted, user(5, 4)],
  },
  {
    code: 'orphan-parent',
    follows: {
      files: [
        { name: `${defaultSession}.jsonl`, lines: two },
        { name: 'part-2.jsonl', lines: [user(3, 2), answer(4, 3)] },
      ],
    },
    breaks: [user(1, null), answer(2, 99)],
  },
  { code: 'parent-loop', follows: two, breaks: [user(1, 3), answer(2, 1), user(3, 2)] },
  {
    code: 'timestamp-not-iso',
    follows: [user(1, null), { type: 'file-history-snapshot', messageId: id(1), timestamp: null, snapshot: {} }],
    breaks: [user(1, null, 'Hello', { timestamp: 1738160130123 })],
    in: {
      s3: { breaks: [s3(1, null, 'user', 'Hello', { timestamp: 'yesterday' })] },
      real: { breaks: [user(1, null, 'Hello', { timestamp: '17.02.2026 10:00' })] },
    },
  },
]

const valueFixtures: Fixture[] = [
  {
    code: 'is-sidechain-on-main',
    follows: [s3(1, null, 'user', 'Hello'), s3(2, 1, 'user', 'Look', { isSidechain: true })],
    breaks: [s3(1, null, 'user', 'Hello', { isSidechain: false })],
  },
  {
    code: 'user-type-external-outside-sidechain',
    follows: [s3(1, null, 'user', 'Look', { isSidechain: true, userType: 'external' })],
    breaks: [s3(1, null, 'user', 'Hello', { userType: 'external' })],
  },
  {
    code: 'content-string-or-array',
    follows: [user(1, null, 'A text'), user(2, 1, [{ type: 'text', text: 'A block' }])],
    breaks: [user(1, null, { text: 'neither' })],
  },
  {
    code: 'image-not-base64',
    follows: [user(1, null, image({ type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }))],
    breaks: [user(1, null, image({ type: 'base64', media_type: 'image/png', data: '<svg/>' }))],
    in: { real: { breaks: [user(1, null, image({ type: 'base64', media_type: 'text/html', data: 'aGk=' }))] } },
  },
  {
    code: 'image-not-base64',
    follows: [user(1, null, image({ type: 'base64', media_type: 'image/png', data: 'iVBORw0K\r\nGgoAAAANSUhEUgA' }))],
    breaks: [user(1, null, image({ type: 'base64', media_type: 'image/png', data: 'this is not base64' }))],
  },
  {
    code: 'image-not-base64',
    follows: [user(1, null, image({ type: 'base64', media_type: 'image/png', data: 'AAAA' }))],
    breaks: [user(1, null, image({ type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo==' }))],
    in: { real: { breaks: [user(1, null, image({ type: 'base64', media_type: 'image/png', data: 'hello' }))] } },
  },
  {
    code: 'tool-call-without-result',
    follows: [user(1, null), answer(2, 1, [call('toolu_1')]), user(3, 2, [result('toolu_1')])],
    breaks: [user(1, null), answer(2, 1, [call('toolu_1')]), user(3, 2, 'Never mind')],
  },
  {
    code: 'duplicate-tool-use-id',
    follows: [user(1, null), answer(2, 1, [call('toolu_1')]), answer(3, 2, [call('toolu_1')], {}, { id: 'msg_2' })],
    breaks: [user(1, null), answer(2, 1, [call('toolu_1')]), answer(3, 2, [call('toolu_1')])],
    in: { s0: { breaks: [user(1, null), answer(2, 1, [call('toolu_1'), call('toolu_1')])] } },
  },
  {
    code: 'tool-arguments-object-s3',
    follows: [toolUse({ toolArguments: { file_path: '/a.py' } })],
    breaks: [toolUse({ toolArguments: '/a.py' })],
  },
  {
    code: 'meta-caveat-unflagged',
    follows: [user(1, null, 'Caveat: The messages below were generated by the user.', { isMeta: true })],
    breaks: [user(1, null, 'Caveat: The messages below were generated by the user.')],
  },
]

function toolUse(extra: object) {
  return {
    type: 'assistant',
    uuid: 'msg-1',
    timestamp: at(1),
    sessionId: 's',
    subtype: 'tool_use',
    toolName: 'Read',
    ...extra,
  }
}

export const fixtures: Fixture[] = [...lineFixtures, ...idFixtures, ...valueFixtures]
