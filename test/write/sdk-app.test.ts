// An application of the Agent SDK with Clew's store, with Claude Code itself: the example of the page, a session that is resumed from
// the store, and a store in the home that Claude Code writes to.

import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clewStore } from '../../src/write/store/store.ts'
import { clewHere } from '../cli/run.ts'
import { withFolder } from '../home.ts'
import { sdkModule } from '../needs.ts'
import { type FakeApi, startApi } from './fake-api.ts'
import { loadSdk, type Sdk, saidBy } from './sdk.ts'

const answered = 'Flour, and a cart.'

describe('an application of the Agent SDK', { tags: 'sdk' }, () => {
  let sdk: Sdk
  let api: FakeApi
  beforeAll(async () => {
    sdk = await loadSdk()
    api = await startApi(answered)
  })
  afterAll(() => api.close())

  /** What Claude Code sees of this machine. */
  const envOf = (folder: string) => ({
    HOME: folder,
    CLEW_HOME: join(folder, 'clew'),
    PATH: process.env['PATH'] ?? '',
    ANTHROPIC_API_KEY: 'none',
    ANTHROPIC_BASE_URL: api.url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    IS_SANDBOX: '1',
  })
  const ask = async (prompt: string, options: Record<string, unknown>): Promise<string> => {
    let session = ''
    for await (const message of sdk.query({ prompt, options })) session = message.session_id
    return session
  }
  const logIn = (home: string) => {
    const [project = ''] = readdirSync(join(home, 'projects'))
    const [log = ''] = readdirSync(join(home, 'projects', project)).filter(name => name.endsWith('.jsonl'))
    return readFileSync(join(home, 'projects', project, log), 'utf8')
  }

  it('stores what it did, as the page shows it, and Clew finds it', { timeout: 120_000 }, () =>
    withFolder(async folder => {
      const [, app = ''] =
        /<!-- app:start -->\n\n```js\n([\s\S]*?)```/.exec(readFileSync('docs/store.md', 'utf8')) ?? []
      writeFileSync(join(folder, 'app.mjs'), app)
      mkdirSync(join(folder, 'node_modules'))
      symlinkSync(resolve('.'), join(folder, 'node_modules/clew'), 'junction')
      symlinkSync(dirname(dirname(sdkModule)), join(folder, 'node_modules/@anthropic-ai'), 'junction')
      const { said, complaint } = await run(join(folder, 'app.mjs'), folder, envOf(folder))
      expect([said, complaint]).toEqual([`${answered}\nWhat is in this folder?\n`, ''])
      const places = ['--root', join(folder, 'app-sessions'), '--home', join(folder, 'clew'), '--json']
      const { sessions } = JSON.parse((await clewHere(['ls', ...places])).stdout)
      expect(sessions).toMatchObject([{ prompts: 1, usage: { inputTokens: 10, outputTokens: 2 } }])
      const hits = JSON.parse((await clewHere(['search', 'flour', ...places])).stdout)
      expect(hits).toMatchObject({ total: 1 })
      const checked = JSON.parse((await clewHere(['check', sessions[0].id, ...places])).stdout)
      expect(checked.findings.filter(({ severity }: { severity: string }) => severity === 'error')).toEqual([])
    }),
  )

  it('gives the store to the SDK without a type error', { timeout: 120_000 }, () =>
    withFolder(folder => {
      const lines = [
        "import { foldSessionSummary, importSessionToStore, query, type SessionStore } from '@anthropic-ai/claude-agent-sdk'",
        "import { clewStore } from 'clew/store'",
        'const sessionStore: SessionStore = clewStore({ foldSessionSummary })',
        "export const asked = query({ prompt: 'Hello', options: { sessionStore } })",
        "await importSessionToStore('', clewStore())",
      ]
      writeFileSync(join(folder, 'app.ts'), lines.join('\n'))
      const paths = {
        '@anthropic-ai/claude-agent-sdk': [join(dirname(sdkModule), 'sdk.d.ts')],
        'clew/store': [resolve('src/write/store/store.ts')],
      }
      const { compilerOptions } = JSON.parse(readFileSync('tsconfig.json', 'utf8'))
      const types = { types: ['node'], typeRoots: [resolve('node_modules/@types')] }
      const config = { compilerOptions: { ...compilerOptions, ...types, paths }, files: ['app.ts'] }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
      const tsc = resolve('node_modules/typescript/bin/tsc')
      const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
      expect([stdout, status]).toEqual(['', 0])
    }),
  )

  it('resumes from the store what is nowhere else, with what was said', { timeout: 120_000 }, () =>
    withFolder(async folder => {
      const home = join(folder, 'stored')
      const cwd = join(folder, 'bakery')
      mkdirSync(cwd)
      const sessionStore = clewStore({ home, clewHome: join(folder, 'clew') })
      const env = (name: string) => ({ ...envOf(folder), CLAUDE_CONFIG_DIR: join(folder, name) })
      const session = await ask('What is in this folder?', { cwd, sessionStore, env: env('first') })
      api.sent.length = 0
      const resumed = await ask('And the prices?', { cwd, sessionStore, env: env('second'), resume: session })
      expect(resumed).toBe(session)
      expect(api.sent.at(-1)).toContain('What is in this folder?')
      expect(api.sent.at(-1)).toContain(answered)
      const messages = await sdk.getSessionMessages(session, { dir: cwd, sessionStore })
      expect(messages.map(saidBy)).toEqual(['What is in this folder?', answered, 'And the prices?', answered])
    }),
  )

  it('writes nothing twice into the home that Claude Code writes to itself', { timeout: 120_000 }, () =>
    withFolder(async folder => {
      const home = join(folder, 'home')
      const cwd = join(folder, 'bakery')
      mkdirSync(cwd)
      const sessionStore = clewStore({ home, clewHome: join(folder, 'clew') })
      const given: unknown[] = []
      const watched = {
        ...sessionStore,
        append: (...args: Parameters<typeof sessionStore.append>) => {
          given.push(...args[1])
          return sessionStore.append(...args)
        },
      }
      const env = { ...envOf(folder), CLAUDE_CONFIG_DIR: home }
      await ask('What is in this folder?', { cwd, sessionStore: watched, env })
      const lines = logIn(home).split('\n')
      expect(given.length).toBeGreaterThan(5)
      for (const entry of given) {
        const text = JSON.stringify(entry)
        const times = given.filter(one => JSON.stringify(one) === text).length
        expect([text, lines.filter(line => line === text).length]).toEqual([text, times])
      }
    }),
  )
})

function run(script: string, cwd: string, env: Record<string, string>): Promise<{ said: string; complaint: string }> {
  const child = spawn(process.execPath, [script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [said, complaint] = ['', '']
  child.stdout.on('data', chunk => {
    said += chunk
  })
  child.stderr.on('data', chunk => {
    complaint += chunk
  })
  return new Promise(done => child.on('close', () => done({ said, complaint })))
}
