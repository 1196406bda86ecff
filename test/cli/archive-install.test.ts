import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { carryOut, planHook } from '../../src/answers/care/hook.ts'
import { run as runInstall } from '../../src/cli/commands/archive/install.ts'
import { run as runUninstall } from '../../src/cli/commands/archive/uninstall.ts'
import { type Captured, capture, type Invocation } from './capture.ts'
import { type InstallHome, withInstallHome } from './install-home.ts'

const install = ({ host, own }: InstallHome, invocation: Invocation = {}): Promise<Captured> =>
  capture(input => runInstall(input, host), { home: own, options: { yes: true }, ...invocation })
const uninstall = ({ host, own }: InstallHome, invocation: Invocation = {}): Promise<Captured> =>
  capture(input => runUninstall(input, host), { home: own, options: { yes: true }, ...invocation })

const settings = '.claude/settings.json'
const command =
  'nohup /opt/node/bin/node /opt/clew/main.js archive run --quiet </dev/null >/dev/null 2>&1 & # clew archive'
const entry = { hooks: [{ type: 'command', command, timeout: 10 }] }

describe('clew archive install', () => {
  it('shows the difference, copies the file and adds one entry in the style of the file', async () => {
    await withInstallHome({}, async test => {
      const before = '{\n\t"model": "opus",\n\t"env": {"A": "b"},\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}\n'
      test.write(settings, before, 0o640)
      const { stdout, code } = await install(test)
      expect(code).toBe(0)
      expect(stdout).toMatch(/^Copy .*settings\.json to .*settings\.json\.clew-backup-\d{8}T\d{6}\.\d{3}Z\nChange /)
      expect(stdout).toContain('  +\t\t"SessionEnd": [\n  +\t\t\t{\n')
      expect(stdout).not.toContain('"A": "b"},\n  -')
      const text = test.read(settings)
      expect(JSON.parse(text)).toEqual({ ...JSON.parse(before), hooks: { Stop: [], SessionEnd: [entry] } })
      expect(text.startsWith(before.slice(0, before.indexOf('"Stop": []') + 10))).toBe(true)
      const files = test.files()
      const [copy] = Object.keys(files).filter(name => name.includes('backup'))
      expect([files[copy ?? ''], files[settings]?.slice(0, 4)]).toEqual([`640 ${before}`, '640 '])
      expect((await install(test)).stderr).toContain("already installed as a hook in Claude Code's settings")
      expect(test.files()).toEqual(files)
    })
  })

  it.each([
    ['of two blanks', '{\n  "hooks": {\n    "SessionEnd": [\n      { "hooks": [] }\n    ]\n  },\n  "z": 1\n}\n'],
    [
      'on one line',
      '{"model":"opus","hooks":{"SessionEnd":[{"matcher":"","hooks":[{"type":"command","command":"x"}]}]}}',
    ],
    ['with empty hooks', '{\n    "hooks": { },\n    "a": [1,2,   3]\n}'],
    ['with an empty list', '{ "hooks": { "SessionEnd": [\n] } }\n'],
    ['that is empty', '{}\n'],
    ['of a blank', '{ }'],
    ['with Windows line ends', '{\r\n  "a": 1\r\n}\r\n'],
    ['with odd texts', '{\n  "a\\"}": "]\\\\",\n  "ü": [[{"b": -1.5e3}], null, true]\n}\n\n\n'],
    ['with comments', '{\n  // mine\n  "a": 1, /* and */ "b": [1, 2,],\n}\n'],
  ])('gives a file %s back byte for byte', async (_, before) => {
    await withInstallHome({}, async test => {
      test.write(settings, before, 0o600)
      const files = test.files()
      expect((await install(test)).code).toBe(0)
      const list = parse(test.read(settings)).hooks.SessionEnd
      expect(list.at(-1)).toEqual(entry)
      expect(test.read(settings).replaceAll('\r\n', '').includes('\n')).toBe(
        !before.includes('\r\n') && (before.includes('\n') || before === '{ }'),
      )
      expect((await uninstall(test)).code).toBe(0)
      expect(test.files()).toEqual(files)
    })
  })

  it('makes the file where there is none, and takes it away again', async () => {
    await withInstallHome({}, async test => {
      mkdirSync(test.path('.claude'))
      expect((await install(test)).code).toBe(0)
      expect(test.files()).toEqual({
        [settings]: `600 ${JSON.stringify({ hooks: { SessionEnd: [entry] } }, null, 2)}\n`,
      })
      await uninstall(test)
      expect(test.files()).toEqual({})
    })
  })

  it('takes only its own hook out of a file that was changed since, after a copy', async () => {
    await withInstallHome({}, async test => {
      test.write(settings, '{"a":1}')
      await install(test)
      const changed = JSON.parse(test.read(settings))
      changed.b = 2
      changed.hooks.SessionEnd.unshift({ hooks: [{ type: 'command', command: 'mine' }] })
      changed.hooks.SessionEnd[1].hooks.push({ type: 'command', command: 'archive run # theirs' })
      const now = `${JSON.stringify(changed, null, 3)}\n`
      test.write(settings, now)
      const { code, stdout } = await uninstall(test)
      expect([code, stdout]).toEqual([0, expect.stringContaining('Copy ')])
      changed.hooks.SessionEnd[1].hooks.shift()
      expect(test.read(settings)).toBe(`${JSON.stringify(changed, null, 3)}\n`)
      expect(Object.values(test.files())).toContain(`644 ${now}`)
      expect((await uninstall(test)).code).toBe(1)
    })
  })

  it('replaces an older version of its own, and uninstalling still gives the first file back', async () => {
    await withInstallHome({}, async test => {
      test.write(settings, '{\n  "a": 1\n}\n')
      const files = test.files()
      await install(test)
      const { code } = await install(test, { home: '/other' })
      const own = JSON.parse(test.read(settings)).hooks.SessionEnd
      expect([code, own.length, own[0].hooks[0].command]).toEqual([
        0,
        1,
        expect.stringContaining('--home /other archive'),
      ])
      await uninstall(test)
      expect(test.files()).toEqual(files)
    })
  })

  it.each([
    ['// mine\n{]', 'is not a JSON object'],
    ['{"hooks": {"SessionEnd": []}, "hooks": {"Stop": []}}', 'has an odd shape'],
    ['\ufeff{}', 'is not a JSON object'],
    ['[]', 'is not a JSON object'],
    ['{"hooks": []}', 'has "hooks" that are not an object'],
    ['{"hooks": {"SessionEnd": {}}}', 'has "SessionEnd" that is not a list'],
  ])('refuses %j and prints what to paste', async (text, says) => {
    await withInstallHome({}, async test => {
      test.write(settings, text)
      const files = test.files()
      await expect(install(test)).rejects.toThrow(says)
      await expect(install(test)).rejects.toThrow('paste this:\n{\n  "hooks": {\n    "SessionEnd": [')
      expect(test.files()).toEqual(files)
      expect((await uninstall(test)).code).toBe(1)
    })
  })

  it('refuses bytes that are no text', async () => {
    await withInstallHome({}, async test => {
      const path = test.write(settings, '')
      writeFileSync(path, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))
      await expect(install(test)).rejects.toThrow('is not a JSON object')
      expect(readFileSync(path)[2]).toBe(0xff)
    })
  })

  it('writes through a link inside of the home, and refuses one that leads out or nowhere', async () => {
    await withInstallHome({}, async test => {
      const inside = test.write('.claude/dot/settings.json', '{}')
      symlinkSync('dot/settings.json', test.path(settings))
      expect((await install(test)).code).toBe(0)
      expect(JSON.parse(readFileSync(inside, 'utf8')).hooks.SessionEnd).toEqual([entry])
      await uninstall(test)
      expect(readFileSync(inside, 'utf8')).toBe('{}')
      const outside = test.write('elsewhere/settings.json', '{}')
      unlinkSync(test.path(settings))
      symlinkSync(outside, test.path(settings))
      await expect(install(test)).rejects.toThrow(
        /is a link to .*elsewhere.*, outside of the home; nothing was changed/,
      )
      rmSync(outside)
      await expect(install(test)).rejects.toThrow('is a link that leads nowhere')
    })
  })

  it('wants a Claude home, not one of its parts', async () => {
    await withInstallHome({}, async test => {
      await expect(install(test)).rejects.toThrow('is not a Claude home; --root PATH names one')
      test.write('logs/projects/-a/b.jsonl', '')
      await expect(install(test, { root: [test.path('logs/projects')] })).rejects.toThrow('is not a Claude home')
      expect((await install(test, { root: [test.path('logs')], isRootNamed: true })).code).toBe(0)
      expect(test.read('logs/settings.json')).toContain(`--root ${test.path('logs')} archive run`)
      expect((await uninstall(test, { root: [test.path('logs')] })).code).toBe(0)
    })
  })

  it('says when hooks are turned off', async () => {
    await withInstallHome({}, async test => {
      test.write(settings, '{"disableAllHooks": true}')
      expect((await install(test)).stderr).toContain('says disableAllHooks')
    })
  })

  it('gives a command that a shell runs with every word as it is, and that does not wait', async () => {
    await withInstallHome({}, async made => {
      const main = join(made.home, `it's 100% "ü" $HOME \`x\` \\ .js`)
      const node = join(made.home, 'bin dir', 'node')
      mkdirSync(dirname(node), { recursive: true })
      mkdirSync(made.path('.claude'))
      const said = join(made.home, 'said')
      writeFileSync(node, `#!/bin/sh\nsleep 0.3\nprintf '%s\\n' "$@" > '${said}.tmp'\nmv '${said}.tmp' '${said}'\n`)
      chmodSync(node, 0o755)
      const test = { ...made, host: { ...made.host, node, main } }
      await install(test)
      const [{ hooks }] = JSON.parse(made.read(settings)).hooks.SessionEnd
      const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', hooks[0].command], {
        encoding: 'utf8',
        input: '{}',
      })
      expect([status, stdout, stderr]).toEqual([0, '', ''])
      await expect.poll(() => made.files()['said'], { timeout: 10_000 }).toContain(`${main}\narchive\nrun\n--quiet\n`)
    })
  })

  it('prints the plan as JSON and whether it was carried out', async () => {
    await withInstallHome({}, async test => {
      mkdirSync(test.path('.claude'))
      const path = test.path(settings)
      const content = `${JSON.stringify({ hooks: { SessionEnd: [entry] } }, null, 2)}\n`
      const plan = [{ path, content }]
      const dry = await install(test, { json: true, options: { dryRun: true, yes: true } })
      expect([JSON.parse(dry.stdout), dry.code, test.files()]).toEqual([{ plan, done: false }, 0, {}])
      const unasked = await install(test, { json: true, options: {} })
      expect([JSON.parse(unasked.stdout), unasked.code, test.files()]).toEqual([{ plan, done: false }, 1, {}])
      expect(unasked.stderr).toContain('nothing was changed; --yes writes it')
      const done = await install(test, { json: true })
      expect([JSON.parse(done.stdout), done.code]).toEqual([{ plan, done: true }, 0])
      expect(JSON.parse((await install(test, { json: true })).stdout)).toEqual({ plan: [], done: true })
      const shown = await uninstall(test, { options: {} })
      expect([shown.code, shown.stdout, test.read(settings)]).toEqual([1, `Remove ${path}\n`, content])
      expect(JSON.parse((await uninstall(test, { json: true })).stdout)).toEqual({
        plan: [{ path, before: content }],
        done: true,
      })
      expect(JSON.parse((await uninstall(test, { json: true })).stdout)).toEqual({ plan: [], done: false })
    })
  })

  it('writes down the folders that only the environment or the command line knows', async () => {
    await withInstallHome({ env: { CLAUDE_CONFIG_DIR: '/logs $x' } }, async test => {
      test.write('a/projects/x', '')
      const named = { root: [test.path('a'), '/b'], isRootNamed: true, home: '/data/100% "mine"' }
      const { stdout, stderr } = await install(test, { ...named, options: { dryRun: true } })
      expect(JSON.parse(stdout.slice(stdout.indexOf('\n') + 1)).hooks.SessionEnd[0].hooks[0].command).toContain(
        `--home '/data/100% "mine"' --root ${test.path('a')} --root /b archive run`,
      )
      expect(stderr).toContain('only sessions of')
    })
  })

  it('warns about places that may vanish, and refuses names that no one can see', async () => {
    const said = (facts: Parameters<typeof withInstallHome>[0]) =>
      withInstallHome(facts, async test => {
        mkdirSync(test.path('.claude'))
        return (await install(test)).stderr
      })
    expect(await said({ main: '/home/me/.npm/_npx/1a2b/node_modules/clew/main.js' })).toContain('may vanish')
    expect(await said({ temporary: '/scratch/', main: '/scratch/clew/main.js' })).toContain('may vanish')
    const versioned = await said({ node: '/usr/lib/node/v22.1.0/bin/node' })
    expect(versioned).toContain('after an upgrade run this again')
    expect(versioned).not.toContain('may vanish')
    await expect(said({ main: '/data/\u001b[31m\u202e' })).rejects.toThrow('control or invisible characters')
  })

  it('changes nothing where a file changed between showing and writing', async () => {
    await withInstallHome({}, async test => {
      test.write(settings, '{}')
      const { steps } = planHook({ home: test.own, root: [], isRootNamed: false }, test.host)
      test.write(settings, '{"a":1}')
      expect(() => carryOut(steps)).toThrow('has changed meanwhile')
      expect(test.read(settings)).toBe('{"a":1}')
    })
  })
})
