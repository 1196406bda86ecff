// A person's folder for tests of what the pages show: the sample history as Claude home, and loose logs under the names that
// examples use. Nothing of the real home is seen.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const projects = resolve('samples/home/projects')
const loose = {
  'session.jsonl': '-home-mira-sakana/8b863dff-418d-4587-b367-608598f5e71c.jsonl',
  'a.jsonl': '-home-mira-bakery/9a1f4da4-54fa-4745-a6a3-3c7a972d7e1b.jsonl',
  'b.jsonl': '-home-mira-bakery/cde86577-3a20-4cb0-915e-f80d229f6584.jsonl',
}
const longAgo = new Date(Date.UTC(2020, 0, 1))

export class Demo {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'clew-demo-')))
  private readonly folder = join(this.home, 'logs')

  constructor() {
    cpSync(resolve('samples/home'), join(this.home, '.claude'), { recursive: true })
    mkdirSync(this.folder)
    for (const [name, original] of Object.entries(loose)) {
      cpSync(join(projects, original), join(this.folder, name))
      utimesSync(join(this.folder, name), longAgo, longAgo)
    }
  }

  /** Runs a shell line there; `clew` is the built tool. Paths come back with `~`. */
  run(line: string): { code: number | null; stdout: string; stderr: string } {
    const { CLAUDE_CONFIG_DIR: _configured, FORCE_COLOR: _forced, ...rest } = process.env
    const env = { ...rest, HOME: this.home, USERPROFILE: this.home, TZ: 'UTC', NO_COLOR: '1' }
    const clew = `clew() { "${process.execPath}" "${resolve('dist/cli/main.js')}" "$@"; }`
    const done = spawnSync('sh', ['-c', `${clew}; ${line}`], { cwd: this.folder, env, encoding: 'utf8' })
    const plain = (text: string) => text.replaceAll(this.home, '~')
    return { code: done.status, stdout: plain(done.stdout), stderr: plain(done.stderr) }
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true })
  }
}
