// A user's home in a temporary folder, for tests of installing, with a program that is not there.

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Host } from '../../src/answers/care/hook.ts'
import { clewHome } from '../../src/disk/clew-home.ts'

export interface InstallHome {
  host: Host
  /** The user's home folder. */
  home: string
  /** Clew's own folder, where nothing names another. */
  own: string
  path(way: string): string
  read(way: string): string
  write(way: string, text: string, mode?: number): string
  /** All files below the home, with text and mode. */
  files(): Record<string, string>
}

/** A home that is gone after the work. */
export async function withInstallHome<Value>(
  facts: Partial<Host>,
  work: (test: InstallHome) => Value | Promise<Value>,
): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), 'clew-install-'))
  try {
    return await work(makeHome(folder, facts))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function makeHome(folder: string, facts: Partial<Host>): InstallHome {
  const home = join(folder, 'home')
  mkdirSync(home)
  const path = (way: string) => join(home, way)
  const host: Host = {
    node: '/opt/node/bin/node',
    main: '/opt/clew/main.js',
    temporary: join(folder, 'tmp'),
    env: {},
    homeDir: home,
    platform: 'linux',
    now: () => new Date(),
    ...facts,
  }
  return {
    host,
    home,
    own: clewHome({ env: {}, platform: 'linux', homeDir: home }),
    path,
    read: way => readFileSync(path(way), 'utf8'),
    write: (way, text, mode = 0o644) => {
      mkdirSync(dirname(path(way)), { recursive: true })
      writeFileSync(path(way), text)
      chmodSync(path(way), mode)
      return path(way)
    },
    files: () => filesUnder(home),
  }
}

function filesUnder(folder: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const stat = statSync(join(folder, name))
    if (stat.isFile()) found[name] = `${(stat.mode & 0o777).toString(8)} ${readFileSync(join(folder, name), 'utf8')}`
  }
  return found
}
