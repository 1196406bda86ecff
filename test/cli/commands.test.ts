import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { schema } from '../../src/schema/schema.ts'
import { withFolder } from '../home.ts'
import { clew, clewHere, lines, shell } from './run.ts'

const samples = resolve('samples/home')
const user = (uuid: string, parent: string | null, text: string) =>
  JSON.stringify({
    type: 'user',
    uuid,
    parentUuid: parent,
    sessionId: '0c0ffee0-0000-4000-8000-000000000001',
    timestamp: '2026-01-01T00:00:00.000Z',
    isSidechain: false,
    message: { role: 'user', content: text },
  })

function accepts(name: string, value: unknown): boolean {
  return schema(name)?.safeParse(value).success ?? false
}

describe('clew', () => {
  it('lists the sample history where there are no sessions', async () => {
    const env = { CLAUDE_CONFIG_DIR: '', HOME: '/nonexistent' }
    const { stdout, stderr, code } = await clewHere(['--no-pager'], { env, isTerminal: true })
    expect(code).toBe(0)
    expect(stderr).toContain('bundled sample history')
    expect(stdout.split('\n').length).toBeGreaterThan(12)
  })

  it('says what is wrong with a wrong command, option or value, and exits with 2', async () => {
    for (const args of [
      ['shwo'],
      ['records', '--bogus'],
      ['check', '--profile', 's9', samples],
      ['schema', 'nothing'],
      ['show', 'nothing-like-it', '--root', samples],
    ]) {
      const { stderr, code } = await clewHere(args)
      expect(code).toBe(2)
      expect(stderr).not.toMatch(/\n\s+at /)
      expect(stderr.trim()).not.toBe('')
    }
  })

  it('has help with an example for every command', async () => {
    for (const command of commands) {
      const { stdout, code } = await clewHere([command.name, '--help'])
      expect(code).toBe(0)
      expect(stdout).toContain(command.description.slice(0, 30))
      expect(stdout).toContain(`clew ${command.name}`)
    }
  })

  it('prints its version', async () => {
    expect(clew(['--version']).stdout.trim()).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version)
  })

  it('prints help to a reader that has gone already, and that is success', async () => {
    for (const words of ['--help', 'archive --help', 'help ls']) {
      const result = await shell(`(sleep 0.2; clew ${words}) | true; exit \${PIPESTATUS[0]}`)
      expect(result, words).toMatchObject({ code: 0, stderr: '' })
    }
  })

  it('treats a reader that goes away as success', async () => {
    const { code, stderr } = await shell(
      `clew events ${samples} --json | head -n 1 > /dev/null; exit \${PIPESTATUS[0]}`,
    )
    expect([code, stderr]).toEqual([0, ''])
  })
})

describe('clew records', () => {
  it('accounts for every byte of every file', async () => {
    const rows = lines(await clewHere(['records', samples, '--json']))
    const sums = new Map<string, number>()
    for (const row of rows) {
      expect(accepts('record-line', row)).toBe(true)
      sums.set(String(row['file']), (sums.get(String(row['file'])) ?? 0) + Number(row['bytes']))
    }
    expect(sums.size).toBeGreaterThan(20)
    for (const [file, bytes] of sums) expect(bytes).toBe(statSync(file).size)
  })

  it('reads standard input', async () => {
    const rows = lines(clew(['records', '-', '--json'], { input: `${user('a', null, 'x')}\n` }))
    expect(rows).toMatchObject([{ file: '-', line: 1, type: 'user', dialect: 'client', status: 'known' }])
  })

  it.each(['records', 'events'])('%s prints what has arrived on standard input while more is awaited', command =>
    withFolder(async folder => {
      writeFileSync(join(folder, 'one'), `${user('a', null, 'x')}\n`)
      writeFileSync(join(folder, 'two'), `${user('b', 'a', 'y')}\n`)
      // The second record is sent only when the first one was printed.
      const awaited = 'for i in $(seq 400); do [ -s out ] && break; sleep 0.05; done; [ -s out ] && cat two'
      await shell(`cd ${folder}; touch out; (cat one; ${awaited}) | clew ${command} - > out`)
      expect(readFileSync(join(folder, 'out'), 'utf8').trim().split('\n')).toHaveLength(2)
    }),
  )

  it('--values prints whole records, but not whose account it is', async () => {
    const record = { ...JSON.parse(user('a', null, 'x')), slug: 'calm-garden', madeUp: [1] }
    const owner = { type: 'session-owner', sessionId: 's', accountUuid: 'secret' }
    const input = `${JSON.stringify(record)}\n${JSON.stringify(owner)}\n`
    const rows = lines(await clewHere(['records', '-', '--json', '--values'], { input }))
    expect(rows.map(row => row['value'])).toEqual([record, undefined])
    for (const row of rows) expect(accepts('record-line', row)).toBe(true)
    expect((await clewHere(['records', '-', '--values'], { input })).stdout).toContain('"madeUp":[1]')
  })
})

describe('clew events', () => {
  it('prints events that fit the schema, by path and by session', async () => {
    const found = lines(await clewHere(['events', samples, '--json']))
    expect(found.length).toBeGreaterThan(300)
    for (const event of found) expect(accepts('event', event)).toBe(true)
    const bySession = lines(await clewHere(['events', 'last', '--root', samples, '--json']))
    expect(bySession.length).toBeGreaterThan(0)
  })

  it('never lets control characters of a log reach the terminal', async () => {
    await withFolder(async folder => {
      const file = join(folder, 'evil.jsonl')
      writeFileSync(file, `${user('a', null, '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eevil\r')}\n`)
      for (const args of [
        ['events', file],
        ['show', file],
        ['context', file],
        ['records', file],
        ['check', file],
        ['events', file, '--json'],
      ]) {
        const { stdout, stderr } = await clewHere(args)
        expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
      }
    })
  })

  it('--json has what a record says next to its content', async () => {
    const facts = {
      slug: 'calm-garden',
      permissionMode: 'plan',
      thinkingMetadata: { maxThinkingTokens: 31999 },
      todos: [{ content: 'one', status: 'pending', priority: 'high', id: '1' }],
    }
    const input = `${JSON.stringify({ ...JSON.parse(user('a', null, 'x')), ...facts })}\n`
    const [event] = lines(await clewHere(['events', '-', '--json'], { input }))
    expect(event?.['detail']).toEqual(facts)
    expect(accepts('event', event)).toBe(true)
  })

  it('leaves image data out unless asked for it', async () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' } }
    const input = `${JSON.stringify({ type: 'user', uuid: 'a', parentUuid: null, sessionId: 's', message: { role: 'user', content: [image] } })}\n`
    expect(clew(['events', '-', '--json'], { input }).stdout).not.toContain('aGVsbG8=')
    expect(clew(['events', '-', '--json', '--data'], { input }).stdout).toContain('aGVsbG8=')
  })
})

describe('clew context, show and check', () => {
  it('print JSON that fits the schemas', async () => {
    const rows = JSON.parse((await clewHere(['--json', '--root', samples])).stdout) as { sessions: { id: string }[] }
    for (const { id } of rows.sessions) {
      const context = await clewHere(['context', id, '--root', samples, '--json'])
      expect(accepts('context', JSON.parse(context.stdout))).toBe(true)
      const show = await clewHere(['show', id, '--root', samples, '--json'])
      expect(accepts('session-detail', JSON.parse(show.stdout))).toBe(true)
    }
    expect(accepts('check-report', JSON.parse((await clewHere(['check', samples, '--json'])).stdout))).toBe(true)
  })

  it('resolve a session by unique beginning and list candidates of an ambiguous one', async () => {
    await withFolder(async folder => {
      const project = join(folder, 'projects', '-p')
      mkdirSync(project, { recursive: true })
      for (const end of ['1', '2']) {
        const id = `0c0ffee0-0000-4000-8000-00000000000${end}`
        writeFileSync(
          join(project, `${id}.jsonl`),
          `${user('a', null, 'x').replaceAll('0c0ffee0-0000-4000-8000-000000000001', id)}\n`,
        )
      }
      const ambiguous = await clewHere(['show', '0c0f', '--root', folder])
      expect(ambiguous.code).toBe(2)
      expect(ambiguous.stderr).toContain('000000000001')
      expect(ambiguous.stderr).toContain('000000000002')
      const unique = await clewHere(['show', '0c0ffee0-0000-4000-8000-000000000002', '--root', folder, '--json'])
      expect(JSON.parse(unique.stdout)).toMatchObject({
        id: '0c0ffee0-0000-4000-8000-000000000002',
        project: { slug: '-p' },
      })
    })
  })

  it('exit with 1 exactly when a finding is an error', async () => {
    await withFolder(async folder => {
      const file = join(folder, '0c0ffee0-0000-4000-8000-000000000001.jsonl')
      writeFileSync(file, `${user('a', null, 'x')}\n`)
      expect((await clewHere(['check', file])).code).toBe(0)
      writeFileSync(file, `${user('a', null, 'x')}${user('b', 'a', 'y')}\n`)
      expect((await clewHere(['check', file])).code).toBe(1)
      const sarif = JSON.parse((await clewHere(['check', file, '--sarif'])).stdout)
      expect(sarif.version).toBe('2.1.0')
      const glued = sarif.runs[0].results.find((result: { ruleId: string }) => result.ruleId === 'glued-line')
      expect(glued).toMatchObject({ level: 'error' })
      expect(glued.locations[0].physicalLocation.region.startLine).toBe(1)
    })
  })
})

describe('clew schema', () => {
  it('lists names and prints the schema of each', async () => {
    const names = (await clewHere(['schema'])).stdout.trim().split('\n')
    expect(names).toContain('event')
    expect(JSON.parse((await clewHere(['schema', 'event'])).stdout)).toMatchObject({
      title: expect.any(String),
      type: 'object',
    })
  })
})
