import { describe, expect, it } from 'vitest'
import { run as runInstall } from '../../src/cli/commands/archive/install.ts'
import { run as runUninstall } from '../../src/cli/commands/archive/uninstall.ts'
import { type Captured, capture, type Invocation } from './capture.ts'
import { type TestMachine, withMachine } from './install-machine.ts'

const install = ({ machine }: TestMachine, invocation: Invocation = {}): Promise<Captured> =>
  capture(input => runInstall(input, machine), invocation)
const uninstall = ({ machine }: TestMachine, invocation: Invocation = {}): Promise<Captured> =>
  capture(input => runUninstall(input, machine), invocation)
const yes = { options: { yes: true } }

const linux = { has: ['systemctl', 'crontab'] as const }
const cronOnly = { has: ['crontab'] as const }
const mac = { platform: 'darwin' as const, has: ['launchctl', 'crontab'] as const }
const windows = {
  platform: 'win32' as const,
  has: ['schtasks'] as const,
  node: 'C:\\Program Files\\nodejs\\node.exe',
  main: 'C:\\Users\\Zoë\\npm\\clew\\main.js',
}

describe('clew archive install with systemd', () => {
  it('shows two unit files in full and the commands, and writes nothing without a yes', async () => {
    await withMachine(linux, async test => {
      const { stdout, stderr, code } = await install(test)
      expect(stdout).toBe(`Write ${test.path('.config/systemd/user/clew-archive.service')}
  # written by clew archive install
  [Unit]
  Description=Archive Claude Code sessions (clew archive run)

  [Service]
  Type=oneshot
  ExecStart="/opt/node/bin/node" "/opt/clew/main.js" archive run --quiet
  Nice=10
  IOSchedulingClass=idle
Write ${test.path('.config/systemd/user/clew-archive.timer')}
  # written by clew archive install
  [Unit]
  Description=Archive Claude Code sessions every 1h

  [Timer]
  OnBootSec=5min
  OnUnitActiveSec=1h
  Persistent=true

  [Install]
  WantedBy=timers.target
Run systemctl --user daemon-reload
Run systemctl --user enable --now clew-archive.timer
`)
      expect(stderr).toContain('--yes writes it')
      expect([code, test.files(), test.calls()]).toEqual([1, {}, []])
    })
  })

  it('writes them, changes nothing the second time, and uninstalling leaves nothing', async () => {
    await withMachine(linux, async test => {
      const first = await install(test, yes)
      expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('installed as a systemd timer, every 1h')])
      expect(Object.keys(test.files())).toEqual([
        '.config/systemd/user/clew-archive.service',
        '.config/systemd/user/clew-archive.timer',
      ])
      const files = test.files()
      const second = await install(test, yes)
      expect([second.code, second.stdout, test.files()]).toEqual([0, '', files])
      expect(second.stderr).toContain('already installed')
      expect((await uninstall(test, yes)).code).toBe(0)
      expect(test.files()).toEqual({})
      expect(test.calls()).toEqual([
        'systemctl --user daemon-reload',
        'systemctl --user enable --now clew-archive.timer',
        'systemctl --user disable --now clew-archive.timer',
        'systemctl --user daemon-reload',
      ])
    })
  })

  it('replaces an older version of its own with a diff and makes the timer wait again', async () => {
    await withMachine(linux, async test => {
      await install(test, yes)
      const { stdout, code } = await install(test, { options: { yes: true, every: '30m' } })
      expect(code).toBe(0)
      expect(stdout).toContain('-OnUnitActiveSec=1h')
      expect(stdout).toContain('+OnUnitActiveSec=30m')
      expect(stdout).not.toContain('clew-archive.service')
      expect(test.read('.config/systemd/user/clew-archive.timer')).toContain('OnUnitActiveSec=30m')
      expect(test.calls().at(-1)).toBe('systemctl --user restart clew-archive.timer')
    })
  })

  it('turns a timer on again that somebody turned off', async () => {
    await withMachine(linux, async test => {
      await install(test, yes)
      test.machine.run(['systemctl', '--user', 'disable', '--now', 'clew-archive.timer'])
      expect((await install(test, yes)).stdout).toBe('Run systemctl --user enable --now clew-archive.timer\n')
    })
  })

  it('keeps its hands off unit files that others wrote', async () => {
    await withMachine(linux, async test => {
      test.write('.config/systemd/user/clew-archive.timer', '[Timer]\n')
      const before = test.files()
      await expect(install(test, yes)).rejects.toThrow('was not written by Clew')
      expect((await uninstall(test, yes)).code).toBe(1)
      expect(test.files()).toEqual(before)
    })
  })

  it('writes down the folders that only the environment or the command line knows', async () => {
    const env = { XDG_CONFIG_HOME: '/cfg-is-not-made', CLEW_HOME: '/data/100% "mine"', CLAUDE_CONFIG_DIR: '/logs $x' }
    await withMachine({ ...linux, env }, async test => {
      const { stdout } = await install(test, { options: { dryRun: true } })
      expect(stdout).toContain('Write /cfg-is-not-made/systemd/user/clew-archive.service')
      expect(stdout).toContain(
        'ExecStart="/opt/node/bin/node" "/opt/clew/main.js" --home "/data/100%% \\"mine\\"" --root "/logs $$x" archive run --quiet',
      )
      const named = { home: '/other', root: ['/a', '/b'], dryRun: true }
      expect((await install(test, { root: ['/a', '/b'], options: named })).stdout).toContain(
        '--home "/other" --root "/a" --root "/b" archive run',
      )
    })
    await withMachine({ ...linux, env: { XDG_DATA_HOME: '/xdg' } }, async test => {
      expect((await install(test, { options: { dryRun: true } })).stdout).toContain('--home "/xdg/clew"')
    })
  })
})

describe('clew archive install with launchd', () => {
  it('writes a property list, loads it, loads a changed one again and unloads it', async () => {
    await withMachine({ ...mac, main: '/Users/a & b/<clew>.js' }, async test => {
      const list = test.path('Library/LaunchAgents/dev.clew.archive.plist')
      const { stdout, code } = await install(test, yes)
      expect([code, stdout]).toEqual([0, expect.stringContaining(`Write ${list}\n`)])
      const text = test.read('Library/LaunchAgents/dev.clew.archive.plist')
      expect(text).toContain('<!-- written by clew archive install -->')
      expect(text).toContain('    <string>/Users/a &amp; b/&lt;clew&gt;.js</string>\n    <string>archive</string>')
      expect(text).toContain('<key>StartInterval</key>\n  <integer>3600</integer>')
      expect((await install(test, yes)).stderr).toContain('already installed as a launchd job')
      expect((await install(test, { options: { yes: true, every: '2d' } })).code).toBe(0)
      expect((await uninstall(test, yes)).code).toBe(0)
      expect(test.files()).toEqual({})
      expect(test.calls()).toEqual([
        `launchctl bootstrap gui/501 ${list}`,
        'launchctl bootout gui/501/dev.clew.archive',
        `launchctl bootstrap gui/501 ${list}`,
        'launchctl bootout gui/501/dev.clew.archive',
      ])
    })
  })
})

describe('clew archive install with the Task Scheduler', () => {
  it('writes a task in ASCII, takes it in, and takes it out', async () => {
    await withMachine(windows, async test => {
      const file = test.path('AppData/Local/clew/archive-task.xml')
      const { stdout, code } = await install(test, { options: { yes: true, home: '/own home' } })
      expect([code, stdout]).toEqual([
        0,
        expect.stringContaining(`Run schtasks /Create /TN 'Clew archive' /XML ${file} /F`),
      ])
      const text = test.read('AppData/Local/clew/archive-task.xml')
      expect(text).toContain('<Command>C:\\Program Files\\nodejs\\node.exe</Command>')
      expect(text).toContain(
        '<Arguments>C:\\Users\\Zo&#235;\\npm\\clew\\main.js --home &quot;/own home&quot; archive run --quiet</Arguments>',
      )
      expect(text).toContain('<Interval>PT60M</Interval>')
      expect(text).toMatch(/^[\x20-\x7e\n]*$/)
      expect((await install(test, { options: { yes: true, home: '/own home' } })).stderr).toContain('already installed')
      expect((await uninstall(test, yes)).code).toBe(0)
      expect(test.files()).toEqual({})
      expect(test.calls().at(-1)).toBe('schtasks /Delete /TN Clew archive /F')
    })
  })

  it('refuses what the platform has not', async () => {
    await withMachine(windows, async test => {
      await expect(install(test, { options: { by: 'cron' } })).rejects.toThrow(
        '--by cron: not available on this platform',
      )
    })
    await withMachine({ ...windows, main: 'C:\\%APPDATA%\\x.js' }, async test => {
      await expect(install(test, yes)).rejects.toThrow('would replace %…%')
    })
  })
})

describe('clew archive install with cron', () => {
  it('is taken where the user manager does not answer, and adds one line', async () => {
    await withMachine(cronOnly, async test => {
      const before = 'MAILTO=me\n# clew is good\n5 4 * * * backup # nightly\n'
      test.setCrontab(before)
      const { stdout, code } = await install(test, yes)
      const line = '0 * * * * /opt/node/bin/node /opt/clew/main.js archive run --quiet # clew archive'
      expect([code, stdout]).toEqual([0, expect.stringContaining(`Run crontab - with\n`)])
      expect(stdout).toContain(`+${line}\n`)
      expect(test.crontab()).toBe(`${before}${line}\n`)
      expect((await install(test, yes)).stderr).toContain('already installed as a line of the crontab')
      await install(test, { options: { yes: true, every: '15m' } })
      expect(test.crontab()).toBe(`${before}${line.replace('0 *', '*/15 *')}\n`)
      expect((await uninstall(test, yes)).code).toBe(0)
      expect(test.crontab()).toBe(before)
    })
  })

  it('leaves no crontab where there was none', async () => {
    await withMachine(cronOnly, async test => {
      await install(test, yes)
      expect(test.crontab()).toMatch(/^0 \* .*# clew archive\n$/)
      await uninstall(test, yes)
      expect([test.crontab(), test.calls().at(-1)]).toEqual([null, 'crontab -r'])
    })
  })

  it('replaces its line where it is, and more of them by one', async () => {
    await withMachine(cronOnly, async test => {
      test.setCrontab(
        'a\n1 1 * * * old archive run --quiet # clew archive\nb\n2 2 * * * old archive run --quiet # clew archive\n',
      )
      await install(test, yes)
      expect(test.crontab()).toMatch(/^a\n0 \* .*# clew archive\nb\n$/)
    })
  })

  it('says which times it cannot keep, and leaves all as it is', async () => {
    await withMachine(cronOnly, async test => {
      await expect(install(test, { options: { yes: true, every: '45m' } })).rejects.toThrow(
        'cron cannot run it every 45m',
      )
      expect(test.crontab()).toBe(null)
    })
  })
})

describe('clew archive install, whichever way', () => {
  it('says what would work where neither timer nor crontab does', async () => {
    await withMachine({}, async test => {
      await expect(install(test)).rejects.toThrow(
        "systemctl --user does not answer, and there is no crontab; what works here: --by hook (a hook in Claude Code's settings)",
      )
      await expect(install(test, { options: { by: 'timer' } })).rejects.toThrow('what works here: --by hook')
    })
    await withMachine(cronOnly, async test => {
      await expect(install(test, { options: { by: 'timer' } })).rejects.toThrow('--by cron (a line of the crontab)')
    })
  })

  it.each([
    [{ by: 'magic' }, '--by magic: it is one of timer, cron, hook'],
    [{ every: '0h' }, '--every 0h: a number and m, h or d'],
    [{ every: 'often' }, '--every often'],
    [{ every: '31d' }, '30d is the longest'],
    [{ by: 'hook', every: '1h' }, '--every is for timers'],
  ])('refuses %j', async (options, says) => {
    await withMachine(linux, async test => {
      await expect(install(test, { options })).rejects.toThrow(says)
    })
  })

  it('asks on a terminal: a no changes nothing, a yes does', async () => {
    await withMachine({ ...linux, answer: false }, async test => {
      const { stderr, code } = await install(test)
      expect([code, test.files(), test.calls()]).toEqual([1, {}, []])
      expect(stderr).toContain('nothing was changed')
    })
    await withMachine({ ...linux, answer: true }, async test => {
      expect((await install(test)).code).toBe(0)
      expect(Object.keys(test.files())).toHaveLength(2)
    })
  })

  it('prints the plan as JSON and whether it was carried out', async () => {
    await withMachine(cronOnly, async test => {
      const line = '0 * * * * /opt/node/bin/node /opt/clew/main.js archive run --quiet # clew archive\n'
      const plan = [{ kind: 'command', command: ['crontab', '-'], content: line, before: '' }]
      const dry = await install(test, { json: true, options: { dryRun: true, yes: true } })
      expect([JSON.parse(dry.stdout), dry.code, test.crontab()]).toEqual([{ plan, done: false }, 0, null])
      const unasked = await install(test, { json: true })
      expect([JSON.parse(unasked.stdout), unasked.code, test.crontab()]).toEqual([{ plan, done: false }, 1, null])
      const done = await install(test, { json: true, ...yes })
      expect([JSON.parse(done.stdout), done.code, test.crontab()]).toEqual([{ plan, done: true }, 0, line])
      expect(JSON.parse((await install(test, { json: true })).stdout)).toEqual({ plan: [], done: true })
    })
  })

  it('warns about places that may vanish', async () => {
    await withMachine({ ...linux, main: '/home/me/.npm/_npx/1a2b/node_modules/clew/main.js' }, async test => {
      expect((await install(test)).stderr).toContain('may vanish')
    })
    await withMachine({ ...linux, temporary: '/scratch/', main: '/scratch/clew/main.js' }, async test => {
      expect((await install(test)).stderr).toContain('may vanish')
    })
    await withMachine({ ...linux, node: '/usr/lib/node/v22.1.0/bin/node' }, async test => {
      const { stderr } = await install(test)
      expect(stderr).toContain('after an upgrade run this again')
      expect(stderr).not.toContain('may vanish')
    })
  })

  it('shows control characters of paths escaped', async () => {
    const odd = '/data/\u001b[31m\u202e'
    await withMachine({ ...linux, env: { CLEW_HOME: odd } }, async test => {
      const { stdout } = await install(test, { options: { dryRun: true } })
      expect(stdout).toContain('--home "/data/\\x1b[31m\\u{202e}"')
      await expect(install(test, { options: { by: 'cron' } })).rejects.toThrow('control or invisible characters')
    })
  })

  it('stops with the reason where a command fails', async () => {
    await withMachine(cronOnly, async test => {
      const machine = {
        ...test.machine,
        run: (command: readonly string[], input?: string) => {
          return command[1] === '-' ? { code: 1, stdout: '', stderr: 'disk full\n' } : test.machine.run(command, input)
        },
      }
      await expect(install({ ...test, machine }, yes)).rejects.toThrow('crontab - failed with 1: disk full')
    })
  })

  it('does nothing where things changed between showing and writing', async () => {
    await withMachine(cronOnly, async test => {
      const confirm = async () => {
        test.setCrontab('new\n')
        return true
      }
      const machine = { ...test.machine, canAsk: () => true, confirm }
      await expect(install({ ...test, machine })).rejects.toThrow('has changed meanwhile')
      expect(test.crontab()).toBe('new\n')
    })
  })

  it('reports another way that is installed; uninstalling finds both, or the one that is named', async () => {
    await withMachine(linux, async test => {
      await install(test, { options: { by: 'cron', yes: true } })
      const { stderr } = await install(test, yes)
      expect(stderr).toContain('also installed as a line of the crontab; clew archive uninstall --by cron ends that')
      expect((await uninstall(test, { options: { by: 'cron', yes: true } })).stderr).toContain(
        'as a line of the crontab;',
      )
      expect([test.crontab(), Object.keys(test.files()).length]).toEqual([null, 2])
      await install(test, { options: { by: 'cron', yes: true } })
      expect((await uninstall(test, yes)).code).toBe(0)
      expect([test.crontab(), test.files()]).toEqual([null, {}])
    })
  })
})

describe('clew archive uninstall', () => {
  it('says where nothing is installed', async () => {
    await withMachine(linux, async test => {
      const { stderr, stdout, code } = await uninstall(test, yes)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toContain('not installed; nothing to remove')
      expect(JSON.parse((await uninstall(test, { json: true })).stdout)).toEqual({ plan: [], done: false })
    })
  })

  it('shows what goes and asks as installing does', async () => {
    await withMachine(linux, async test => {
      await install(test, yes)
      const files = test.files()
      const { stdout, stderr, code } = await uninstall(test)
      expect(stdout).toBe(`Run systemctl --user disable --now clew-archive.timer
Remove ${test.path('.config/systemd/user/clew-archive.timer')}
Remove ${test.path('.config/systemd/user/clew-archive.service')}
Run systemctl --user daemon-reload
`)
      expect(stderr).toContain('--yes does it')
      expect([code, test.files()]).toEqual([1, files])
      expect((await uninstall(test, { options: { dryRun: true } })).code).toBe(0)
      expect(test.files()).toEqual(files)
    })
  })

  it('continues where one way cannot be looked at, and says so', async () => {
    await withMachine(linux, async test => {
      await install(test, yes)
      const run = (command: readonly string[], input?: string) =>
        command[0] === 'crontab'
          ? { code: 1, stdout: '', stderr: 'You are not allowed to use this program' }
          : test.machine.run(command, input)
      const { stderr, code } = await uninstall({ ...test, machine: { ...test.machine, run } }, yes)
      expect([code, test.files()]).toEqual([0, {}])
      expect(stderr).toContain('crontab -l failed with 1: You are not allowed')
    })
  })

  it('removes the files where the user manager is gone', async () => {
    await withMachine(linux, async test => {
      await install(test, yes)
      const machine = { ...test.machine, run: () => ({ code: null, stdout: '', stderr: '' }) }
      expect((await uninstall({ ...test, machine }, yes)).stderr).toContain('only the files go')
      expect(test.files()).toEqual({})
    })
  })
})
