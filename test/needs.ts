// What some tests need of the machine, as tags of the test runner: `describe(name, { tags: 'corpus' }, …)`. Where a need is
// not met the runner skips the test, and summary.ts reports why. It never decides that a test has passed.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** Whether this run includes the full sweeps: `npm run test:deep`. */
export const isDeep = process.env['CLEW_DEEP'] === '1'

/** Which random things happen: `CLEW_SEED`, else the test's own number. */
export const seedOr = (usual: number): number => Number(process.env['CLEW_SEED'] ?? usual)

/** Logs that real versions of Claude Code wrote; not part of the repository. */
export const corpusFolder = resolve(process.env['CLEW_CORPUS'] ?? '../shared/corpus')
/** The Claude homes in it, one for each version; where there are none, one name for the tests that are skipped. */
export const clientHomes: readonly string[] = homesIn(join(corpusFolder, 'client'))
/** Sessions that people published, as one home. */
export const publicHome = join(corpusFolder, 'public')

/** The module of the Agent SDK in the folder of packages that `CLEW_SDK` names. */
export const sdkModule = join(resolve(process.env['CLEW_SDK'] ?? 'no-sdk'), '@anthropic-ai/claude-agent-sdk/sdk.mjs')

const isRoot = process.getuid?.() === 0
const isLinux = process.platform === 'linux'

export const chromiumPath = findProgram('chromium', 'chromium-browser', 'google-chrome')

/** Tag → what is missing; undefined where the test can run. */
const missing: Readonly<Record<string, string | undefined>> = {
  deep: isDeep ? undefined : 'npm run test:deep',
  corpus: existsSync(corpusFolder) ? undefined : 'a corpus of real logs',
  chromium: chromiumPath === undefined ? 'Chromium' : undefined,
  tmux: needProgram('tmux'),
  zsh: needProgram('zsh'),
  fish: needProgram('fish'),
  systemd: needProgram('systemd-analyze'),
  linux: isLinux ? undefined : 'Linux',
  posix: process.platform === 'win32' ? 'a system other than Windows' : undefined,
  strace:
    !isLinux || !isRoot || !works('strace', '-f', '-qq', '-e', 'trace=none', 'true') ? 'root and strace' : undefined,
  mount: works('unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp')
    ? undefined
    : 'root that may mount file systems',
  user: isRoot ? 'a user other than root' : undefined,
  'gnu-tar': hasGnuTar() ? undefined : 'GNU tar',
  judge: process.env['CLEW_JUDGE'] === undefined ? 'CLEW_JUDGE, root and npm: it runs Claude Code itself' : undefined,
  sdk: existsSync(sdkModule) ? undefined : 'CLEW_SDK: a node_modules folder with the Agent SDK',
  'dev-full': existsSync('/dev/full') ? undefined : '/dev/full',
}

/** For the configuration of the test runner. */
export const tags = Object.entries(missing).map(([name, reason]) => ({
  name,
  ...(reason === undefined ? {} : { description: `needs ${reason}`, skip: true }),
}))

function homesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map(name => join(folder, name)) : [join(folder, 'any version')]
}

/** The first of the programs that is on the path. */
export function findProgram(...names: string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return names.flatMap(name => folders.map(folder => join(folder, name))).find(path => existsSync(path))
}

function works(program: string, ...args: string[]): boolean {
  return spawnSync(program, args).status === 0
}

function hasGnuTar(): boolean {
  return spawnSync('tar', ['--version'], { encoding: 'utf8' }).stdout?.includes('GNU tar') === true
}

function needProgram(name: string): string | undefined {
  return findProgram(name) === undefined ? name : undefined
}

/** All items in a deep run, else about `count` of them, evenly spread and with the first and the last. */
export function sample<Item>(items: readonly Item[], count: number): Item[] {
  if (isDeep || items.length <= count) return [...items]
  const step = (items.length - 1) / Math.max(1, count - 1)
  return Array.from({ length: count }, (_, at) => items[Math.round(at * step)] as Item)
}
