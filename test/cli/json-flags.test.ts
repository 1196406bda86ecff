// Every flag of every command, next to `--json`: an error that names both, what JSON does anyway, or another answer. The table
// of cases is complete: a flag without a case fails here.

import { cpSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { OptionDeclaration } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands.ts'
import { flagNames } from '../../src/cli/options.ts'
import { clewHere } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'clew-json-flags-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const home = join(folder, 'home')
cpSync(resolve('samples/home'), home, { recursive: true })
const env = { CLAUDE_CONFIG_DIR: home, CLEW_HOME: join(folder, 'own'), HOME: folder }

/** With a subagent, branches and a background task. */
const long = '33c79d8c-6d99-4d32-b36b-48f475c1e43f'
const talk = '57bae280-ea99-41b3-b705-d095bc6e35d6'
const image = '89fa56ca-4696-4aba-8872-34198a51a117'

/** Given so that a flag has something to leave out: a session that a program ran, and is set aside. */
const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
const aside = join(home, 'projects/-home-mira-bakery/0c0ffee0-0000-4000-8000-000000000001.jsonl')
writeFileSync(
  aside,
  `${JSON.stringify({
    type: 'user',
    uuid: '0c0ffee0-0000-4000-8000-000000000002',
    parentUuid: null,
    sessionId: '0c0ffee0-0000-4000-8000-000000000001',
    entrypoint: 'sdk-cli',
    timestamp: '2026-01-01T00:00:00.000Z',
    isSidechain: false,
    cwd: '/home/mira/bakery',
    message: {
      role: 'user',
      content: [
        { type: 'text', text: 'Run the report.' },
        { type: 'image', source },
      ],
    },
  })}\n`,
)
const longAgo = new Date('2026-06-06T00:00:00Z')
for (const name of readdirSync(home, { recursive: true, encoding: 'utf8' }))
  utimesSync(join(home, name), longAgo, longAgo)
const prices = join(folder, 'prices.json')
writeFileSync(
  prices,
  '{ "models": { "claude-opus-4-5": { "rows": [{ "input": 100, "output": 100, "cacheWrite5m": 1, "cacheWrite1h": 1, "cacheRead": 1 }] } } }',
)

/** A command line, a flag with its value, and what the JSON has with the flag alone; where absent, it only differs. */
type Case = readonly [line: string, flag: string, shows?: RegExp]

/** What it does is not in the JSON: where that is tested. */
interface Elsewhere {
  testedIn: string
}

const times = (line: string): Record<string, Case> => ({
  since: [line, '--since 2026-05-20'],
  until: [line, '--until 2026-05-20'],
})
const dry = (line: string): Record<string, Case> => ({ 'dry-run': [line, '--dry-run', /"dryRun":true/] })
const inUse: Record<string, Elsewhere> = { force: { testedIn: 'test/write/commands.test.ts' } }
const archived: Elsewhere = { testedIn: 'test/cli/archive*.test.ts' }

const cases: Readonly<Record<string, Record<string, Case | Elsewhere>>> = {
  ls: {
    ...times('ls'),
    long: ['ls', '--long', /"costUSD"/],
    csv: ['ls', '--csv'],
    project: ['ls', '--project sakana'],
    model: ['ls', '--model haiku'],
    branch: ['ls', '--branch main'],
    tool: ['ls', '--tool Bash'],
    has: ['ls', '--has error'],
    gone: ['ls', '--gone'],
    'set-aside': ['ls', '--set-aside'],
    'no-set-aside': { testedIn: 'test/cli/ls-states.test.ts' },
    typed: ['ls', '--typed'],
    programmatic: ['ls', '--programmatic'],
    grep: ['ls', '--grep croissant'],
    sort: ['ls', '--sort size'],
    reverse: ['ls', '--reverse'],
    limit: ['ls', '--limit 2'],
  },
  show: {
    full: [`show ${talk}`, '--full', /"events":\[\n\{"id":"/],
    thinking: [`show ${talk}`, '--thinking'],
    timestamps: [`show ${talk}`, '--timestamps', /"startedAt":"2026/],
    prompts: [`show ${talk}`, '--prompts', /"messages":\[/],
    turn: [`show ${long}`, '--turn 2', /"selected":\{"turns":\[1,1\],"events":/],
    thread: [`show ${long}`, '--thread a4a95', /"selected":\{"thread":"a4a95c4d5c2af9d13","events":/],
    event: [`show ${long}`, '--event 8f4d7450', /"selected":\{"turns":\[2,2\],"event":"8f4d7450-/],
    branch: [`show ${long}`, '--branch 5357c77c', /"selected":\{"branch":"5357c77c-/],
    since: [`show ${long}`, '--since 2026-05-18T05:00Z', /"selected":\{"since":"2026-05-18T05:00/],
    format: [`show ${talk}`, '--format md'],
  },
  export: {
    ...times(`export --all --out ${folder}/exported`),
    out: [`export ${talk}`, `--out ${folder}/one`, /"out":"/],
    all: [`export --project sakana --out ${folder}/all`, '--all'],
    project: [`export ${talk} --out ${folder}/projects`, '--project sakana'],
    format: [`export ${talk} --out ${folder}/format`, '--format json', /"format":"json"/],
    detail: [`export ${talk} --out ${folder}/detail`, '--detail prompts', /"detail":"prompts"/],
    force: { testedIn: 'test/cli/export.test.ts' },
  },
  tree: { full: [`tree ${long}`, '--full', /"rows":\[/] },
  context: {
    messages: [`context ${talk}`, '--messages', /"messages":\[\{"role":"user"/],
    data: [`context ${aside}`, '--data', /"data":"/],
  },
  stats: {},
  usage: {
    ...times('usage'),
    last: ['usage', '--last 7d'],
    project: ['usage', '--project sakana'],
    model: ['usage', '--model haiku'],
    session: ['usage', `--session ${talk}`],
    order: ['usage', '--order desc'],
    breakdown: ['usage', '--breakdown', /"modelBreakdowns":\[\{"/],
    group: ['usage', '--group project'],
    compact: ['usage', '--compact'],
    csv: ['usage', '--csv'],
    mode: ['usage', '--mode display'],
    prices: ['usage', `--prices ${prices}`],
    'unknown-as': ['usage', '--unknown-as claude-opus-4-1'],
    estimate: ['usage', '--estimate'],
    reconcile: ['usage', '--reconcile', /^\{"reconcile":/],
    budget: ['usage', '--budget 1/week', /"budget":\{"usd":1,"per":"week"/],
    'week-start': ['usage weekly', '--week-start sunday'],
    'token-limit': ['usage blocks', '--token-limit 100', /"tokenLimit":100/],
    active: ['usage blocks', '--active'],
    recent: ['usage blocks', '--recent'],
  },
  history: {
    ...times('history'),
    pasted: ['history', '--pasted', /"pasted":\[\{/],
    project: ['history', '--project bakery'],
    grep: ['history', '--grep croissant'],
    limit: ['history', '--limit 2'],
  },
  search: {
    ...times('search the'),
    flat: ['search the', '--flat'],
    limit: ['search the', '--limit 1'],
    all: ['search the', '--all'],
    open: ['search the', '--open 1', /^\{"id":.*"selected":\{.*"event":"/],
    kind: ['search the', '--kind prompt'],
    tool: ['search the', '--tool Bash'],
    project: ['search the', '--project bakery'],
    session: ['search the', `--session ${talk}`],
  },
  grep: {
    ...times('grep t.e'),
    'ignore-case': ['grep T.E', '--ignore-case'],
    'fixed-strings': ['grep t.e', '--fixed-strings'],
    after: ['grep t.e', '--after 1'],
    before: ['grep t.e', '--before 1'],
    context: ['grep t.e', '--context 1'],
    sessions: ['grep t.e', '--sessions', /"hits":\[\],"sessions":\[/],
    count: ['grep t.e', '--count', /"hits":\[\],"sessions":\[/],
    'only-matching': ['grep t.e', '--only-matching'],
    'invert-match': ['grep t.e', '--invert-match'],
    'word-regexp': ['grep t.e', '--word-regexp'],
    'line-number': ['grep t.e', '--line-number', /"line":\d/],
    full: ['grep t.e', '--full', /"snippet":"[^"]{100}/],
    kind: ['grep t.e', '--kind prompt'],
    tool: ['grep t.e', '--tool Bash'],
    project: ['grep t.e', '--project bakery'],
    limit: ['grep t.e', '--limit 2'],
  },
  watch: Object.fromEntries(
    ['since', 'kind', 'tool', 'project', 'all', 'full', 'wait', 'poll'].map(name => [
      name,
      { testedIn: 'test/cli/watch.test.ts' },
    ]),
  ),
  serve: Object.fromEntries(
    ['port', 'no-open', 'read-only-token', 'host', 'allow-network', 'token'].map(name => [
      name,
      { testedIn: 'test/server/serve.test.ts' },
    ]),
  ),
  statusline: {
    parts: ['statusline', '--parts model'],
    template: ['statusline', '--template {model}'],
    session: { testedIn: 'test/cli/statusline.test.ts' },
    columns: ['statusline', '--columns 20'],
  },
  resume: {
    run: [`resume ${talk}`, '--run'],
    shell: [`resume ${talk}`, '--shell fish', /"shell":"fish"/],
  },
  fork: {
    ...dry(`fork ${talk}`),
    ...inUse,
    at: [`fork ${talk} --dry-run`, '--at 21f7159b'],
    title: [`fork ${talk} --dry-run`, '--title Another'],
  },
  trim: {
    ...dry(`trim ${talk} --budget 1m`),
    ...inUse,
    budget: [`trim ${talk} --dry-run`, '--budget 1m', /"dryRun":true/],
    title: [`trim ${talk} --budget 1m --dry-run`, '--title Another'],
  },
  repair: {
    ...dry(`repair ${talk}`),
    ...inUse,
    'in-place': [`repair ${talk} --dry-run`, '--in-place', /"inPlace":true/],
  },
  convert: {
    ...dry(`convert ${talk} --to s4 --out ${folder}/converted`),
    ...inUse,
    to: [`convert ${talk} --out ${folder}/to --dry-run`, '--to s0', /"to":"s0"/],
    out: [`convert ${talk} --to s4 --dry-run`, `--out ${folder}/to`, /"out":"/],
    check: [`convert ${talk} --to s4 --out ${folder}/checked --dry-run`, '--check', /"findings":/],
  },
  split: {
    ...dry(`split ${talk} --size 4kB --out ${folder}/split`),
    ...inUse,
    size: [`split ${talk} --out ${folder}/parts --dry-run`, '--size 4kB', /"parts":\[/],
    out: [`split ${talk} --size 4kB --dry-run`, `--out ${folder}/parts`, /"parts":\[/],
  },
  join: {
    ...dry(`join ${aside} --out ${folder}/joined.jsonl`),
    out: [`join ${aside} --dry-run`, `--out ${folder}/other.jsonl`, /other\.jsonl/],
  },
  compact: {
    ...dry(`compact ${talk} --summary ${prices}`),
    ...inUse,
    summary: [`compact ${talk} --dry-run`, `--summary ${prices}`, /"dryRun":true/],
    keep: [`compact ${talk} --summary ${prices} --dry-run`, '--keep 1'],
  },
  title: { ...dry(`title ${talk} Faster`), ...inUse },
  tag: { ...dry(`tag ${talk} reports`), ...inUse, remove: [`tag ${talk} --dry-run`, '--remove', /"dryRun":true/] },
  append: { ...dry(`append ${talk}`), ...inUse },
  events: { data: [`events ${image}`, '--data', /"data":"/] },
  records: { values: [`records ${talk}`, '--values', /"value":\{/] },
  check: {
    profile: [`check ${talk}`, '--profile s2', /"profile":"s2"/],
    severity: ['check', '--severity error'],
    rule: ['check', '--rule orphan-parent'],
    all: ['check', '--all', /"findings":\[\{/],
    sarif: ['check', '--sarif'],
  },
  schema: {},
  index: {},
  archive: Object.fromEntries(known('archive').map(option => [longName(option), archived])),
  forget: {
    undo: { testedIn: 'test/cli/json.test.ts' },
    list: ['forget', '--list', /"forgotten":/],
    'dry-run': { testedIn: 'test/cli/forget.test.ts' },
    'even-if-damaged': { testedIn: 'test/cli/forget.test.ts' },
    yes: { testedIn: 'test/cli/json.test.ts' },
  },
  doctor: {},
  config: {},
  completion: {},
  guide: {},
}

function known(name: string): readonly OptionDeclaration[] {
  return commands.find(command => command.name === name)?.options ?? []
}

function longName(option: OptionDeclaration): string {
  return String(flagNames(option).at(-1)).replace(/^--/, '')
}

/** What changes with every run is left out. */
function steady(text: string): string {
  return text.replace(/"(tookMs|nowMs)":[\d.]+/g, '"$1":0')
}

const plain = new Map<string, Promise<string>>()

async function printed(line: string): Promise<{ stdout: string; stderr: string; code: number | null }> {
  const input = line.startsWith('append') ? '{"kind":"title","detail":{"title":"Faster"}}\n' : '{}'
  const result = await clewHere([...line.split(' '), '--json'], { env, input })
  return { ...result, stdout: steady(result.stdout) }
}

function withoutFlag(line: string): Promise<string> {
  const before = plain.get(line) ?? printed(line).then(({ stdout }) => stdout)
  plain.set(line, before)
  return before
}

async function expectHeard(option: OptionDeclaration, [line, flag, shows]: Case): Promise<void> {
  const { stdout, stderr, code } = await printed(`${line} ${flag}`)
  if (option.withJson === 'refused') {
    expect([stdout, stderr, code]).toEqual(['', `clew: --${longName(option)} and --json exclude each other\n`, 2])
    return
  }
  expect(stdout, stderr).not.toBe('')
  const isLines = line.startsWith('events') || line.startsWith('records')
  for (const one of isLines ? stdout.trim().split('\n') : [stdout]) expect(() => JSON.parse(one)).not.toThrow()
  if (shows !== undefined) expect(stdout).toMatch(shows)
  // Without it, something is written.
  if (flag === '--dry-run') return
  const before = await withoutFlag(line)
  if (option.withJson === 'implied') expect(stdout).toBe(before)
  else if (shows !== undefined) expect(before).not.toMatch(shows)
  else expect(stdout).not.toBe(before)
}

describe.each(commands.map(command => command.name))('with --json, clew %s', name => {
  it('has a case here for every flag', () => {
    expect(Object.keys(cases[name] ?? {}).sort()).toEqual(known(name).map(longName).sort())
  })

  for (const option of known(name)) {
    const found = cases[name]?.[longName(option)]
    if (found === undefined || 'testedIn' in found) continue
    it(`hears or refuses --${longName(option)}`, () => expectHeard(option, found))
  }
})

describe('flags that would hide each other', () => {
  it.each([
    ['grep x -c -l', '--sessions and --count exclude each other'],
    ['ls -n 1 --limit 2', '--limit is given twice'],
    ['--timezone UTC ls --timezone CET', '--timezone is given twice'],
    ['--json ls --csv', '--csv and --json exclude each other'],
    [`show ${talk} --event x --turn 1`, '--event and --turn exclude each other'],
    ['statusline --parts model --template {model}', '--template and --parts exclude each other'],
  ])('clew %s is an error', async (line, message) => {
    const { stdout, stderr, code } = await clewHere(line.split(' '), { env })
    expect([stdout, stderr, code]).toEqual(['', `clew: ${message}\n`, 2])
  })
})

describe('a part of a session as JSON', () => {
  const detailOf = async (...flags: string[]) => JSON.parse((await printed(['show', long, ...flags].join(' '))).stdout)
  const ids = (rows: readonly { id: string }[]) => rows.map(row => row.id)

  it('has the turn that was asked for, with its calls and subagents, and says so', async () => {
    const whole = await detailOf()
    const part = await detailOf('--turn 2 --full')
    expect(part.turns).toEqual([whole.turns[1]])
    expect(part.toolCalls).toEqual(
      whole.toolCalls.filter((call: { id: string }) => ids(part.toolCalls).includes(call.id)),
    )
    const own = part.toolCalls.filter((call: { thread: string }) => call.thread === long)
    expect(own).toHaveLength(whole.turns[1].toolCalls)
    const started = own.flatMap((call: { subagent?: string }) => call.subagent ?? [])
    expect(ids(part.threads).sort()).toEqual([long, ...started].sort())
    expect(part.selected).toEqual({ turns: [1, 1], events: part.events.length })
    expect(part.usage).toEqual(whole.usage)
    const sum = part.threads.reduce((all: number, thread: { eventCount: number }) => all + thread.eventCount, 0)
    expect(sum).toBe(part.events.length)
  })

  it('since its first record has every turn and call', async () => {
    const { turns, toolCalls } = await detailOf()
    expect(await detailOf('--since 2020-01-01')).toMatchObject({
      turns,
      toolCalls,
      selected: { events: expect.any(Number) },
    })
  })

  it('all turns together are the turns of the session, none twice', async () => {
    const whole = await detailOf()
    const parts = []
    for (const turn of whole.turns) parts.push(...(await detailOf(`--turn ${turn.index + 1}`)).turns)
    expect(parts).toEqual(whole.turns)
  })

  it('of a turn that is not there is an error', async () => {
    expect(await printed(`show ${long} --turn 99`)).toMatchObject({ stdout: '', code: 2 })
  })
})
