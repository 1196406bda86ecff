// `clew watch` as a process of its own on files that change under it.

import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { escapeForTerminal } from '../../src/base/escape.ts'
import { columnsOf } from '../../src/base/width.ts'
import { lint } from '../../src/schema/schema.ts'
import { clew, lines } from './run.ts'
import { answer, call, first, pause, prompt, record, result, second, WatchHome } from './watch-home.ts'

let home: WatchHome
beforeEach(() => {
  home = new WatchHome()
})
afterEach(() => home.remove())

describe('what is written', () => {
  it('appears in the order of its lines, with time, session, and what happened', async () => {
    const watch = await home.watch('--no-index')
    expect(watch.stderr).toContain('watching all sessions (1 file)')
    home.append(first, prompt(first, 'Run the tests'), call(first, 't1', 'Bash', { command: 'npm test' }))
    await watch.shown('npm test')
    home.append(
      first,
      result(first, 't1', 'Exit code 1\n3 failed', true),
      answer(first, [{ type: 'text', text: 'Sorry.' }]),
    )
    const text = await watch.shown('Sorry.')
    const shown = text.trimEnd().split('\n')
    expect(shown[0]).toMatch(/^\d\d:\d\d:\d\d 11111111 ── Sell bread online · shop$/)
    expect(shown[1]).toMatch(/^\d\d:\d\d:\d\d 11111111 ▌ Run the tests$/)
    expect(shown[2]).toMatch(/11111111 ◌ Bash {2}npm test$/)
    expect(shown[3]).toMatch(/11111111 ✗ Bash {2}npm test · exit 1/)
    expect(shown.slice(4).join('\n')).toMatch(/3 failed[\s\S]*• Sorry\.$/)
    expect(await watch.end()).toBe(0)
  })

  it('shows the command of a call, not only what it is called', async () => {
    const watch = await home.watch('--no-index')
    const input = { command: 'npm test -- --shard 1/2', description: 'Run half of the tests' }
    home.append(first, call(first, 't1', 'Bash', input))
    const text = await watch.shown('npm test -- --shard 1/2')
    expect(text).toMatch(/◌ Bash {2}Run half of the tests\n.*npm test -- --shard 1\/2\n$/)
    expect(await watch.end()).toBe(0)
  })

  it('waits for the end of an unfinished line, also of one that began before', async () => {
    const line = JSON.stringify(prompt(first, 'A line in two pieces'))
    home.appendText(first, line.slice(0, 40))
    const watch = await home.watch('--no-index')
    home.appendText(first, line.slice(40, 90))
    await pause(300)
    expect(watch.stdout).toBe('')
    home.appendText(first, `${line.slice(90)}\n`)
    await watch.shown('▌ A line in two pieces')
    const other = JSON.stringify(prompt(first, 'Umlaut ä, torn inside'))
    const bytes = Buffer.from(other)
    const cut = bytes.indexOf(0xc3) + 1
    appendFileSync(home.path(first), bytes.subarray(0, cut))
    await pause(150)
    appendFileSync(home.path(first), Buffer.concat([bytes.subarray(cut), Buffer.from('\n')]))
    await watch.shown('▌ Umlaut ä, torn inside')
    await watch.end()
  })

  it('leaves out what no one reads unless --all or --kind asks for it', async () => {
    const noise = () => [
      { type: 'permission-mode', permissionMode: 'plan', sessionId: first },
      record(first, 'progress', { data: { type: 'hook_progress', hookName: 'Stop' }, toolUseID: 't' }),
      answer(first, [{ type: 'thinking', thinking: 'hm hm', signature: 's' }]),
    ]
    const plain = await home.watch('--no-index')
    const all = await home.watch('--no-index', '--all')
    const kind = await home.watch('--no-index', '--kind', 'progress', '--kind', 'prompt')
    home.append(first, ...noise(), prompt(first, 'the end'))
    await plain.shown('the end')
    await all.shown('the end')
    await kind.shown('the end')
    expect(plain.stdout.split('\n')).toHaveLength(3)
    for (const word of ['State  permission mode', 'Hook  Stop', 'thinking']) expect(all.stdout).toContain(word)
    expect(kind.stdout).toContain('Hook  Stop')
    expect(kind.stdout).not.toContain('thinking')
  })

  it('can be narrowed to a tool, with the results of its calls, and to a project', async () => {
    home.append(first, call(first, 'old', 'Bash', { command: 'make' }))
    const tool = await home.watch('--no-index', '--tool', 'bash')
    const other = await home.watch('--no-index', '--project', 'nowhere')
    home.append(
      first,
      call(first, 'r', 'Read', { file_path: '/a' }),
      result(first, 'r', 'x'),
      result(first, 'old', 'made it'),
    )
    home.append(
      first,
      call(first, 'b', 'Bash', { command: 'ls' }),
      prompt(first, 'Not a call'),
      result(first, 'b', 'y'),
    )
    await tool.shown('✓ Bash  ls')
    expect(tool.stdout).toContain('✓ Bash  make')
    expect(tool.stdout).not.toMatch(/Read|Not a call/)
    expect(other.stdout).toBe('')
  })

  it('is shown once where it waited in the queue and is then taken from it', async () => {
    const watch = await home.watch('--no-index')
    const queued = { type: 'queue-operation', operation: 'enqueue', content: 'Also rolls', sessionId: first }
    const taken = { attachment: { type: 'queued_command', prompt: 'Also rolls', commandMode: 'prompt' } }
    home.append(first, { ...queued, timestamp: new Date().toISOString() })
    await watch.shown('▌ Also rolls · queued')
    home.append(first, record(first, 'attachment', taken), prompt(first, 'the end'))
    await watch.shown('the end')
    expect(watch.stdout.match(/Also rolls/g)).toHaveLength(1)
  })

  it('is harmless for the terminal and never wider than it, whatever it says', async () => {
    const hostile = '\u001b]0;owned\u0007\u001b[2J\u202e\u009b31m 漢字かな交じり文 👩‍👩‍👧 '.repeat(20)
    const watch = await home.watch('--no-index', '--full', '--all')
    const cwd = '/home/\u001b[31mred'
    home.append(first, prompt(first, hostile, { cwd }), call(first, 'h', `B${hostile}`, { command: hostile }))
    home.append(first, result(first, 'h', hostile, true), { type: 'ai-title', aiTitle: hostile, sessionId: first })
    home.append(first, prompt(first, 'the end'))
    const text = await watch.shown('the end')
    expect(escapeForTerminal(text)).toBe(text)
    for (const line of text.split('\n')) expect(columnsOf(line), line).toBeLessThanOrEqual(100)
  })

  it('comes as the JSON of events, valid and as `clew events` prints it', async () => {
    const filler = Array.from({ length: 900 }, (_, n) => prompt(first, `filler ${n} ${'x'.repeat(200)}`))
    home.append(first, ...filler)
    const watch = await home.watch('--no-index', '--json')
    home.append(first, prompt(first, 'Hello \u001b[1m'), call(first, 'j', 'Bash', { command: 'ls' }))
    home.append(first, { type: 'permission-mode', permissionMode: 'plan', sessionId: first }, prompt(first, 'the end'))
    await watch.shown('the end')
    const events = watch.events()
    for (const event of events) expect(lint('event', event)).toEqual([])
    const all = lines(clew(['events', home.path(first), '--json']))
    expect(events).toEqual(all.slice(-4))
    expect(events.map(event => event['kind'])).toEqual(['prompt', 'answer', 'state', 'prompt'])
  })
})

describe('sessions and subagents', () => {
  it('that begin meanwhile are named and shown from their first line', async () => {
    const watch = await home.watch('--no-index')
    home.append(second, prompt(second, 'A new start'))
    await watch.shown(/22222222 ── new session in shop\n.*22222222 ▌ A new start\n/)
    home.append(second, { type: 'ai-title', aiTitle: 'Fresh bread', sessionId: second })
    await watch.shown(/22222222 ── renamed to "Fresh bread"\n/)
    home.append(second, { type: 'ai-title', aiTitle: 'Fresh bread', sessionId: second }, prompt(second, 'Go on'))
    await watch.shown('Go on')
    expect(watch.stdout.match(/renamed to/g)).toHaveLength(1)
  })

  it('that are copies of an old history are not told as news', async () => {
    const watch = await home.watch('--no-index')
    const old = prompt(second, 'Long ago', { timestamp: '2026-01-01T10:00:00.000Z' })
    home.append(second, old, prompt(second, 'Just now'))
    await watch.shown('▌ Just now')
    expect(watch.stdout).not.toContain('▌ Long ago')
  })

  it('show a subagent with what it is for, in its session, also where its log was created first', async () => {
    const watch = await home.watch('--no-index')
    const agent = `${first}/subagents/agent-a1b2c3`
    home.write(`${agent}.jsonl`, '')
    await pause(100)
    writeFileSync(
      home.path(`${agent}.jsonl`).replace(/\.jsonl$/, '.meta.json'),
      JSON.stringify({ agentType: 'Explore', description: 'find the oven' }),
    )
    home.append(agent, prompt(first, 'Where is the oven?', { isSidechain: true, agentId: 'a1b2c3' }))
    const text = await watch.shown('Where is the oven?')
    expect(text).toMatch(/11111111 │ Explore +── subagent Explore: find the oven\n/)
    expect(text).toMatch(/11111111 │ Explore +▌ Where is the oven\?\n/)
  })

  it('show a subagent of an old client, whose file is in the same folder and names its session only later', async () => {
    const watch = await home.watch('--no-index')
    home.write('agent-0d1e2f', '')
    await pause(100)
    home.append('agent-0d1e2f', prompt(first, 'Count the loaves', { isSidechain: true, agentId: '0d1e2f' }))
    await watch.shown(/11111111 │ 0d1e2f +── subagent 0d1e2f\n.*11111111 │ 0d1e2f +▌ Count the loaves\n/)
  })

  it('can be followed by the path of their file', async () => {
    const watch = await home.watch(home.path(first), '--no-index')
    home.append(second, prompt(second, 'Not this one'))
    home.append(`${first}/subagents/agent-p`, prompt(first, 'Its subagent', { isSidechain: true, agentId: 'p' }))
    home.append(first, prompt(first, 'This one'))
    await watch.shown('This one')
    await watch.shown('Its subagent')
    expect(watch.stdout).not.toContain('Not this one')
  })

  it('can be followed alone, by id, title or `last`, with their subagents', async () => {
    home.append(second, prompt(second, 'The other one'))
    utimesSync(home.path(first), new Date(1e12), new Date(1e12))
    const byId = await home.watch('11111111', '--no-index')
    const last = await home.watch('last', '--no-index')
    expect(byId.stderr).toContain(`watching session ${first}`)
    expect(last.stderr).toContain(`watching session ${second}`)
    home.append(second, prompt(second, 'To the second'))
    home.append(`${second}/subagents/agent-x`, prompt(second, 'Its subagent', { isSidechain: true, agentId: 'x' }))
    home.append(first, prompt(first, 'To the first'))
    await byId.shown('To the first')
    await last.shown('Its subagent')
    expect(byId.stdout).not.toMatch(/second|subagent/)
    expect(last.stdout).toContain('To the second')
    expect(last.stdout).not.toContain('To the first')
    expect(last.stdout).not.toContain('22222222')
  })

  it('are an error where there is no such session, unless --wait', async () => {
    const missing = clew(['watch', '2222', '--root', home.claude, '--home', home.home])
    expect(missing).toMatchObject({ code: 2, stdout: '' })
    expect(missing.stderr).toContain('no session matches "2222"')
    const watch = await home.watch('2222', '--wait', '--no-index')
    home.append(first, prompt(first, 'Not this one'))
    home.append(second, prompt(second, 'This one'))
    await watch.shown('▌ This one')
    expect(watch.stdout).not.toContain('Not this one')
  })

  it('may come with a home that is not there yet', async () => {
    rmSync(home.claude, { recursive: true })
    const watch = await home.watch('--no-index')
    expect(watch.stderr).toContain('waiting for')
    home.append(second, prompt(second, 'Good morning'))
    await watch.shown('▌ Good morning')
  })

  it('first show what was written lately with --since, sessions in the order of time', async () => {
    const at = (seconds: number) => ({ timestamp: new Date(Date.now() - seconds * 1000).toISOString() })
    home.append(
      first,
      prompt(first, 'an hour ago', at(3600)),
      prompt(first, 'number one', at(40)),
      prompt(first, 'number three', at(20)),
    )
    home.append(second, prompt(second, 'number two', at(30)))
    const watch = await home.watch('--no-index', '--since', '5m')
    await watch.shown('number three')
    home.append(first, prompt(first, 'number four'))
    const text = await watch.shown('number four')
    expect(text.indexOf('▌ number one')).toBeLessThan(text.indexOf('▌ number two'))
    expect(text.indexOf('▌ number two')).toBeLessThan(text.indexOf('▌ number three'))
    expect(text.match(/▌ number three/g)).toHaveLength(1)
    expect(text).not.toContain('an hour ago')
  })
})

describe('files that are not only appended to', () => {
  it('are reported when they are cut, and what is written afterwards is shown', async () => {
    const watch = await home.watch('--no-index')
    home.append(first, prompt(first, 'before the cut'))
    await watch.shown('before the cut')
    truncateSync(home.path(first), 0)
    await watch.shown(/11111111 ── file truncated or rewritten: \d+ B → 0 B/)
    home.append(first, prompt(first, 'after the cut'))
    await watch.shown('▌ after the cut')
  })

  it('show what is appended after a cut, whatever its time, whether they were followed before or not', async () => {
    const old = (text: string) => prompt(second, text, { timestamp: '2026-01-01T09:00:00.000Z' })
    home.append(second, old('long ago'), old('also long ago'))
    const watch = await home.watch('--no-index')
    for (const name of ['one', 'two']) {
      truncateSync(home.path(second), readFileSync(home.path(second), 'utf8').indexOf('\n') + 1)
      await watch.shown(new RegExp(`(truncated[^]*){${name === 'one' ? 1 : 2}}`))
      await pause(400)
      home.append(second, old(`appended ${name}`))
      await watch.shown(`▌ appended ${name}`)
    }
    expect(watch.stdout).not.toContain('▌ long ago')
  })

  it('are reported when they are rewritten, and only what is later is shown', async () => {
    const watch = await home.watch('--no-index')
    const kept = prompt(first, 'kept words')
    home.append(first, kept)
    await watch.shown('kept words')
    await pause(20)
    const text = [
      prompt(first, 'inserted before', { timestamp: '2026-01-01T09:00:00.000Z' }),
      kept,
      prompt(first, 'new words'),
    ]
    const aside = home.path(`${first}.tmp.jsonl`).replace('.tmp.jsonl', '.tmp')
    writeFileSync(aside, text.map(one => `${JSON.stringify(one)}\n`).join(''))
    renameSync(aside, home.path(first))
    await watch.shown('▌ new words')
    expect(watch.stdout).toMatch(/11111111 ── file rewritten/)
    expect(watch.stdout.match(/▌ kept words/g)).toHaveLength(1)
    expect(watch.stdout).not.toContain('inserted before')
  })

  it('are read on where they were when they are moved or copied over themselves', async () => {
    const watch = await home.watch('--no-index')
    home.append(first, prompt(first, 'in the old place'))
    await watch.shown('in the old place')
    const target = home.path(first, '-home-dev-oven')
    home.append(second, prompt(second, 'so that there is another folder'))
    mkdirSync(dirname(target))
    renameSync(home.path(first), target)
    await watch.shown(/── moved to -home-dev-oven\/11111111/)
    appendFileSync(target, `${JSON.stringify(prompt(first, 'in the new place'))}\n`)
    await watch.shown('▌ in the new place')
    copyFileSync(target, `${target}.copy`)
    renameSync(`${target}.copy`, target)
    appendFileSync(target, `${JSON.stringify(prompt(first, 'in the copy'))}\n`)
    await watch.shown('▌ in the copy')
    expect(watch.stdout.match(/▌ in the old place/g)).toHaveLength(1)
    expect(watch.stdout).not.toContain('rewritten')
  })

  it('are reported when they are deleted, many of them together', async () => {
    const many = Array.from({ length: 5 }, (_, n) => `33333333-cccc-4000-8000-00000000000${n}`)
    for (const id of many) home.append(id, prompt(id, 'old'))
    const watch = await home.watch('--no-index')
    rmSync(home.path(first))
    await watch.shown(/deleted: -home-dev-shop\/11111111/)
    rmSync(home.claude, { recursive: true })
    await watch.shown(/5 files deleted/)
  })
})
