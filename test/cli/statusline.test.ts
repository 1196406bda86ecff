import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { withFolder } from '../home.ts'
import { clew, mainFile } from './run.ts'
import { answerLine, type StatusHome, withStatusHome } from './statusline-home.ts'

interface Facts {
  today: { usd: number; isLeast: boolean }
  block: { usd: number; startMs: number; usdPerHour: number } | null
  session: { usd: number; from: string; isLeast: boolean } | null
  context: { tokens: number; percent: number | null; size: number | null } | null
  problem?: string
}

function run(home: StatusHome, args: readonly string[], input: unknown, env: Record<string, string> = {}) {
  const text = typeof input === 'string' ? input : JSON.stringify(input)
  const own = { CLAUDE_CONFIG_DIR: home.root, CLEW_HOME: home.own, COLUMNS: '' }
  const result = clew(['statusline', ...args], { input: text, env: { ...own, ...env } })
  expect(result.code, result.stderr).toBe(0)
  expect(result.stdout.split('\n')).toHaveLength(2)
  return result.stdout.trimEnd()
}

const facts = (home: StatusHome, input: unknown, args: readonly string[] = []) =>
  JSON.parse(run(home, ['--json', '--timezone', 'UTC', ...args], input)) as Facts

/** Two sessions that were just active, one of them with a subagent. */
function work(home: StatusHome): string {
  const now = Date.now()
  home.append('s1.jsonl', answerLine({ session: 's1', at: now - 3000 }), answerLine({ session: 's1', at: now - 2500 }))
  home.append('s1/subagents/agent-a.jsonl', answerLine({ session: 's1', at: now - 2000, agent: 'a', input: 7 }))
  home.append('s2.jsonl', answerLine({ session: 's2', at: now - 1000, model: 'claude-haiku-4-5' }))
  return home.path('s1.jsonl')
}

describe('clew statusline', () => {
  test('says what clew usage says of today and of the active block, while sessions continue', () =>
    withStatusHome(home => {
      const transcript_path = work(home)
      const ask = (form: string) => {
        const args = ['usage', form, '--json', '--quiet', '--no-index', '--timezone', 'UTC', '--root', home.root]
        return JSON.parse(clew([...args, '--home', join(home.folder, 'none')]).stdout)
      }
      for (let step = 0; step < 3; step++) {
        home.append('s1.jsonl', answerLine({ session: 's1', at: Date.now() }))
        const { today, block } = facts(home, { session_id: 's1', transcript_path })
        const day = new Date().toISOString().slice(0, 10)
        const row = ask('daily').daily.find((one: { date: string }) => one.date === day)
        expect(today).toEqual({ usd: row.totalCost, isLeast: false })
        const active = ask('blocks').blocks.find((one: { isActive: boolean }) => one.isActive)
        expect(block?.usd).toBe(active.totalCost)
        expect(block?.startMs).toBe(Date.parse(active.start))
      }
    }))

  test('prints one line with what Claude Code says and what the logs say', () =>
    withStatusHome(home => {
      const input = { transcript_path: work(home), model: { display_name: 'Opus' }, cost: { total_cost_usd: 2.5 } }
      expect(run(home, [], input)).toMatch(
        /^Opus · \$2\.50 session · \$0\.\d\d today · \$0\.\d\d block \([345]h( \d+m)? left\) · \$\d+\.\d\d\/h · 21\.0k \(11%\) context$/,
      )
      expect(run(home, ['--columns', '30'], input)).toHaveLength(30)
      expect(run(home, [], input, { COLUMNS: '20' })).toHaveLength(20)
      expect(run(home, ['--parts', 'model'], input, { NO_COLOR: '', FORCE_COLOR: '' })).toBe('\u001b[36mOpus\u001b[39m')
    }))

  test('counts the session itself where Claude Code does not, or people want it', () =>
    withStatusHome(home => {
      const transcript_path = work(home)
      const { session } = facts(home, { transcript_path })
      expect(session).toMatchObject({ from: 'ours', isLeast: false })
      const { today } = facts(home, {})
      expect(session?.usd).toBeGreaterThan(0)
      expect(session?.usd).toBeLessThan(today.usd)
      const both = { transcript_path, cost: { total_cost_usd: 9 } }
      expect(facts(home, both).session).toEqual({ usd: 9, isLeast: false, from: 'client' })
      expect(facts(home, both, ['--session', 'ours']).session).toEqual(session)
      home.append('s1.jsonl', answerLine({ session: 's1', at: Date.now() - 400 * 3_600_000 }))
      expect(facts(home, { transcript_path }).session?.usd).toBeGreaterThan(session?.usd ?? 0)
    }))

  test('marks what may be more, as where a model has no price', () =>
    withStatusHome(home => {
      home.append('s1.jsonl', answerLine({ session: 's1', at: Date.now(), model: 'claude-unknown-9' }))
      expect(run(home, ['--parts', 'today'], {})).toBe('≥$0.00 today')
    }))

  test('follows the config', () =>
    withStatusHome(home => {
      mkdirSync(home.own, { recursive: true })
      const set = (config: unknown) => writeFileSync(join(home.own, 'config.json'), JSON.stringify(config))
      const input = { model: { id: 'claude-opus-4-5-20251101' }, cwd: '/home/dev/shop' }
      set({ statusline: ['folder', 'model'] })
      expect(run(home, [], input)).toBe('shop · opus-4-5')
      set({ statusline: '<{model}> {lines}', 'statusline.color': 'never' })
      expect(run(home, [], input, { NO_COLOR: '' })).toBe('<opus-4-5> -')
      writeFileSync(join(home.own, 'config.json'), '{ broken')
      expect(run(home, ['--parts', 'model'], input)).toBe('opus-4-5')
    }))

  test('answers anything on stdin with one line and exit code 0', () =>
    withStatusHome(home => {
      work(home)
      for (const garbage of ['not json', '[1]', '"x"', '{"a":', '\u0000\u0001', '['.repeat(200_000)]) {
        expect(run(home, [], garbage)).toBe('clew: stdin is not a JSON object of a status line')
      }
      expect(run(home, ['--parts', 'model,\u001bodd'], {})).toMatch(/^clew: a status line has no part "\\u\{1b\}odd"; /)
      expect(facts(home, 'nonsense').problem).toContain('not a JSON object')
      expect(run(home, [], '')).toMatch(/^\$0\.\d\d today · /)
      const hostile = '\u001b]0;x\u0007\u202e\r\n'.repeat(1000)
      const everywhere = {
        session_id: hostile,
        transcript_path: hostile,
        cwd: hostile,
        model: { id: hostile, display_name: hostile },
        cost: { total_cost_usd: 1e300 },
        context_window: { context_window_size: 1e-300, used_percentage: 1e300 },
      }
      const line = run(home, ['--parts', 'model,folder,session,context'], everywhere)
      expect(line).not.toMatch(/[\u0000-\u001f\u202e]/)
      for (const transcript_path of ['/dev/zero', '/', '.', home.root, '\u0000.jsonl', `${'x'.repeat(5000)}.jsonl`]) {
        expect(run(home, [], { transcript_path, model: 'm' })).toMatch(/^m/)
      }
      expect(run(home, ['--root', join(home.folder, 'nowhere'), '--parts', 'today'], {})).toBe('$0.00 today')
    }))

  test('does not wait for the end of stdin once it has a whole object', async () => {
    await withFolder(async folder => {
      const child = spawn(process.execPath, [mainFile, 'statusline', '--parts', 'model'], {
        env: { ...process.env, CLEW_HOME: folder, NO_COLOR: '1' },
      })
      const printed = new Promise<string>(done => child.stdout.once('data', chunk => done(String(chunk))))
      child.stdin.write('{"model":{"display_na')
      setTimeout(() => child.stdin.write('me":"Opus"}}'), 200)
      expect(await printed).toBe('Opus\n')
      child.kill()
    })
  })

  test('keeps its numbers while many calls run at once and sessions write', () =>
    withStatusHome(async home => {
      const transcript_path = work(home)
      const call = () =>
        new Promise<Facts>((done, fail) => {
          const env = { ...process.env, CLAUDE_CONFIG_DIR: home.root, CLEW_HOME: home.own }
          const child = spawn(process.execPath, [mainFile, 'statusline', '--json', '--timezone', 'UTC'], { env })
          let text = ''
          child.stdout.on('data', chunk => (text += chunk))
          child.on('close', code => (code === 0 ? done(JSON.parse(text) as Facts) : fail(new Error(String(code)))))
          child.stdin.end(JSON.stringify({ transcript_path }))
        })
      const calls: Promise<Facts>[] = []
      for (let n = 0; n < 5; n++) {
        home.append('s1.jsonl', answerLine({ session: 's1', at: Date.now() }))
        calls.push(call())
      }
      await Promise.all(calls)
      const { today } = facts(home, { transcript_path })
      expect(today.usd).toBe((await home.reported(Date.now())).today)
      expect(readdirSync(join(home.own, 'statusline')).filter(name => name.endsWith('.tmp'))).toEqual([])
    }))

  test('writes nothing inside the Claude home', () =>
    withStatusHome(home => {
      const transcript_path = work(home)
      const before = readdirSync(home.root, { recursive: true }).sort()
      run(home, [], { transcript_path })
      expect(readdirSync(home.root, { recursive: true }).sort()).toEqual(before)
      expect(existsSync(join(home.own, 'statusline'))).toBe(true)
    }))
})

test('the quick way of a call without flags prints what the usual way prints', () =>
  withStatusHome(home => {
    const file = join(home.folder, 'quick.mjs')
    const code = "import { printStatus } from './src/cli/statusline/quick.ts'\nawait printStatus()\n"
    buildSync({
      stdin: { contents: code, resolveDir: process.cwd() },
      outfile: file,
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'silent',
    })
    mkdirSync(home.own, { recursive: true })
    writeFileSync(join(home.own, 'config.json'), JSON.stringify({ timezone: 'Asia/Tokyo' }))
    const input = JSON.stringify({ transcript_path: work(home), model: { display_name: 'Opus' } })
    const usual = run(home, ['--no-color'], input)
    return new Promise<void>((done, fail) => {
      const env = { ...process.env, CLAUDE_CONFIG_DIR: home.root, CLEW_HOME: home.own, COLUMNS: '', NO_COLOR: '1' }
      const child = spawn(process.execPath, [file], { env })
      let text = ''
      child.stdout.on('data', chunk => (text += chunk))
      child.on('error', fail)
      child.on('close', () => {
        expect(text.trimEnd().replace(/\d+m left/, '')).toBe(usual.replace(/\d+m left/, ''))
        done()
      })
      child.stdin.end(input)
    })
  }))
