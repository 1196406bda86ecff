import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clientHomes, corpusFolder, isDeep, publicHome } from '../../../test/needs.ts'
import fc from '../../../test/property.ts'
import { eventOptions } from '../../decode/events.ts'
import { discover } from '../../disk/discover/discover.ts'
import type { LogFile } from '../../model/source.ts'
import type { UsageLog } from '../statement.ts'
import { agentLog, decoded, log, scanned } from './scan-testing.ts'

/** Values that a field may have, the usual ones more often. */
const oneOf = (usual: unknown[], rare: unknown[]) =>
  fc.oneof({ arbitrary: fc.constantFrom(...usual), weight: 60 }, { arbitrary: fc.constantFrom(...rare), weight: 1 })

const count = fc.oneof(
  { arbitrary: fc.nat(200_000), weight: 8 },
  { arbitrary: fc.constantFrom(null, 1.5, -3, 1e21, '7', true, {}, []), weight: 1 },
)
const usage = fc.record(
  {
    input_tokens: count,
    output_tokens: count,
    cache_creation_input_tokens: count,
    cache_read_input_tokens: count,
    cache_creation: fc.option(
      fc.record({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count }, { requiredKeys: [] }),
    ),
    server_tool_use: fc.option(fc.record({ web_search_requests: count }, { requiredKeys: [] })),
    speed: oneOf(['fast', 'standard'], [null, 1]),
    inference_geo: oneOf(['us', 'global'], [null, 'US']),
    iterations: fc.constantFrom([], [{ usage: { input_tokens: 5 } }], null),
  },
  { requiredKeys: ['input_tokens', 'output_tokens'] },
)
const content = fc.constantFrom<unknown>(
  'plain',
  [{ type: 'text', text: 'a "quoted" \\ text\n\u0001 \u2028 größe 数' }],
  [{ type: 'tool_use', id: 't1', name: 'Bash', input: { usage: { input_tokens: 4 }, command: 'echo "\\"usage\\""' } }],
  [{ type: 'thinking', thinking: 'x'.repeat(90) }, 5, null, [[[]], {}]],
)
const message = fc.record(
  {
    id: oneOf(['msg_01', 'msg_02', 'm3'], [null, '', 'mü', 4]),
    role: oneOf(['assistant'], [null]),
    type: oneOf(['message'], ['x']),
    model: oneOf(['claude-opus-4-6', '<synthetic>'], [null, '', 7]),
    content,
    stop_reason: oneOf([null, 'end_turn'], [3, '']),
    usage: fc.oneof({ arbitrary: usage, weight: 9 }, { arbitrary: fc.constantFrom(null, [], 'x'), weight: 1 }),
    parts: oneOf([undefined], [[], null]),
  },
  { requiredKeys: ['id', 'role', 'model', 'usage'] },
)
const times = ['2026-03-03T09:00:10.115Z', '2026-03-03T09:00:59.000Z', '2026-03-03T09:01:00.001Z', 1_772_528_410_115]
const record = fc.record(
  {
    type: oneOf(['assistant', 'assistant', 'assistant', 'user', 'system'], ['progress', null, 'human', 'gemini']),
    message: fc.oneof({ arbitrary: message, weight: 12 }, { arbitrary: fc.constantFrom('text', null), weight: 1 }),
    uuid: oneOf(['u1', 'u2', 'u3'], [null, '', 5]),
    parentUuid: oneOf([null, 'u1'], [3]),
    sessionId: oneOf(['s', 's', 'other'], [null, '']),
    session_id: oneOf(['s'], [1]),
    timestamp: oneOf(times, [null, 'yesterday', '2026-02-27T24:00:10.115Z', 12]),
    version: oneOf(['2.1.45', '2.1.97', '2.1.200'], ['0.2.9', null, 'x', 3]),
    isSidechain: oneOf([false, false, true], [null, 'x']),
    agentId: oneOf(['a1', 'a2'], [null, '']),
    requestId: oneOf(['req_1', 'req_2'], [null, '', 8]),
    costUSD: oneOf([0, 0.25], [null, 'x', -1]),
    isApiErrorMessage: oneOf([true, false], [null]),
    forkedFrom: oneOf([null, { sessionId: 'x' }], [0]),
    userType: oneOf(['external'], ['human']),
    toolUseResult: fc.constantFrom<unknown>({ usage: { input_tokens: 3 } }, 'text', null),
    systemPayload: oneOf([undefined], [1]),
    data: fc.record({
      type: fc.constant('agent_progress'),
      message: fc.record({ type: fc.constant('assistant'), uuid: fc.constant('n1'), message }),
    }),
  },
  { requiredKeys: ['type', 'uuid', 'parentUuid', 'sessionId', 'timestamp', 'version', 'isSidechain', 'message'] },
)

/** How a value is written: order of keys, blanks, escapes by number, a field twice. */
interface Style {
  seed: number
  isPlain: boolean
}

function write(value: unknown, style: Style): string {
  const next = (below: number) => {
    style.seed = (Math.imul(style.seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return (style.seed >>> 8) % below
  }
  const blank = () => (style.isPlain || next(6) > 0 ? '' : ([' ', '\t', '  '][next(3)] ?? ''))
  const text = (plain: string) => {
    const written = JSON.stringify(plain)
    // The one key that lines are found by is never written with escapes.
    if (style.isPlain || plain === 'usage' || next(25) > 0) return written
    return written.replace(/[a-z]/, letter => `\\u00${letter.charCodeAt(0).toString(16)}`)
  }
  const any = (one: unknown): string => {
    if (typeof one === 'string') return text(one)
    if (Array.isArray(one)) return `[${blank()}${one.map(any).join(`${blank()},${blank()}`)}${blank()}]`
    if (typeof one !== 'object' || one === null) return JSON.stringify(one)
    const fields = Object.entries(one).filter(([, field]) => field !== undefined)
    if (!style.isPlain) fields.sort(() => next(3) - 1)
    const twice = fields[next(40)]
    if (!style.isPlain && twice !== undefined && next(8) === 0) fields.push(twice)
    return `{${blank()}${fields.map(([key, field]) => `${text(key)}${blank()}:${blank()}${any(field)}`).join(`${blank()},`)}${blank()}}`
  }
  return any(value)
}

/** What may happen to the bytes of a file. */
type Damage = [kind: number, at: number]

function damaged(file: string, damages: readonly Damage[]): Buffer {
  let bytes: Buffer = Buffer.from(file)
  for (const [kind, where] of damages) {
    const at = bytes.length === 0 ? 0 : where % bytes.length
    const before = bytes.subarray(0, at)
    if (kind === 0) bytes = Buffer.concat([before, bytes.subarray(at + 1)])
    else if (kind === 1) bytes = Buffer.concat([before, Buffer.from([0]), bytes.subarray(at)])
    else if (kind === 2) bytes = Buffer.concat([before, Buffer.from([0xff]), bytes.subarray(at)])
    else if (kind === 3) bytes = before
    else if (kind === 4) bytes = Buffer.concat([Buffer.from('\ufeff'), bytes])
    else if (kind === 5) bytes = Buffer.from(bytes.toString('latin1').replace('\n', ''), 'latin1')
    else bytes = Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1')
  }
  return bytes
}

describe('scanning equals decoding', () => {
  it('for records of any kind, written in any way, damaged or not', () => {
    let wholes = 0
    let runs = 0
    const property = fc.property(
      fc.array(fc.tuple(record, fc.nat(), fc.boolean()), { minLength: 1, maxLength: 6 }),
      fc.oneof(fc.constant<Damage[]>([]), fc.array(fc.tuple(fc.nat(6), fc.nat()), { maxLength: 2 })),
      fc.boolean(),
      (records, damages, isAgent) => {
        const lines = records.map(([value, seed, isPlain]) => `${write(value, { seed, isPlain })}\n`)
        const bytes = damaged(lines.join(''), damages)
        const from = isAgent ? agentLog : log
        const found = scanned(bytes, from)
        runs++
        if (found === null) wholes++
        else expect(found).toEqual(decoded(bytes, from))
      },
    )
    fc.assert(property, { numRuns: isDeep ? 1500 : 400 })
    // It would prove nothing if whole logs were decoded each time.
    expect(wholes).toBeLessThan(runs * 0.75)
  }, 60_000)

  it('for the sample history', async () => {
    const { files, decodedWhole } = await compareHome('samples/home')
    expect(files).toBeGreaterThan(20)
    expect(decodedWhole).toBeLessThan(files / 4)
  })

  it('for real logs', { tags: 'corpus', timeout: 120_000 }, async () => {
    let files = 0
    for (const home of [...clientHomes, publicHome, join(corpusFolder, 'resume')])
      files += (await compareHome(home)).files
    expect(files).toBeGreaterThan(100)
  })
})

async function compareHome(home: string): Promise<{ files: number; decodedWhole: number }> {
  const { sessions, strays, histories } = await discover(home)
  const logs = [
    ...sessions.flatMap(session => session.logs.map(file => ({ file, session: session.id as string }))),
    ...[...strays, ...histories].map(file => ({ file, session: undefined })),
  ]
  let decodedWhole = 0
  for (const { file, session } of logs) {
    const bytes = readFileSync(file.path)
    const from = logOf(file, session)
    const found = scanned(bytes, from)
    if (found === null) decodedWhole++
    else expect(found, file.path).toEqual(decoded(bytes, from))
  }
  return { files: logs.length, decodedWhole }
}

function logOf(file: LogFile, session: string | undefined): UsageLog {
  return {
    path: file.path,
    place: 0,
    isAgentFile: file.role === 'agent',
    options: eventOptions(file, session === undefined ? {} : { session }),
    ...(file.nameSession !== undefined && { nameSession: file.nameSession as string }),
  }
}
