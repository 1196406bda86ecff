// Installs one version of Claude Code from npm below the system's temporary folder and runs the scenarios of the drift watch
// with it, as an ordinary user in namespaces of their own: no network but loopback, a home of its own. It reads no session.

import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const base = join(tmpdir(), 'clew-drift')
const user = 1000

/** The folder that a version is installed in. Its install scripts do not run. */
export function installClient(version) {
  const folder = join(base, 'clients', version)
  if (existsSync(join(folder, 'installed'))) return folder
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock']
  execFileSync('npm', ['install', ...options, `@anthropic-ai/claude-code@${version}`], { cwd: folder, stdio: 'ignore' })
  writeFileSync(join(folder, 'installed'), '')
  return folder
}

// Everything outside the scratch folder stays as it is: homes are covered by empty file systems.
const enter = `set -e
ip link set lo up; mount --make-rprivate /
mount --bind "$1" /mnt; mount --bind "$2" /mnt/client
mount -t tmpfs tmpfs /home; mkdir /home/dev; mount --bind /mnt/home /home/dev; mount -t tmpfs tmpfs /root
mount --bind /mnt/passwd /etc/passwd; cd /home/dev
exec env -i PATH=/usr/local/bin:/usr/bin:/bin setpriv --reuid=${user} --regid=${user} --clear-groups "$3" /mnt/drift-inside.mjs "$4"`

/**
 * Runs the scenarios whose names match `only`, all of them without it. Returns the scratch folder: `home/.claude` is the
 * Claude home that was written, `requests` contains what was sent, a file per session, `log` what each run printed.
 */
export function runScenarios(client, only = '') {
  const scratch = mkdtempSync(join(base, 'run-'))
  for (const folder of ['home', 'client', 'tmp', 'log']) mkdirSync(join(scratch, folder))
  for (const name of ['drift-inside.mjs', 'drift-scenarios.mjs', 'drift-mcp.mjs'])
    copyFileSync(join(here, name), join(scratch, name))
  writeFileSync(
    join(scratch, 'passwd'),
    `root:x:0:0:root:/root:/bin/bash\ndev:x:${user}:${user}:Dev:/home/dev:/bin/bash\n`,
  )
  execFileSync('chown', ['-R', `${user}:${user}`, scratch])
  for (const folder of [base, join(base, 'clients'), client, scratch]) chmodSync(folder, 0o755)
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child']
  const inside = ['bash', '-c', enter, 'drift', scratch, client, process.execPath, only]
  const run = spawnSync('unshare', [...namespaces, ...inside], { stdio: ['ignore', 'inherit', 'inherit'] })
  if (run.status !== 0)
    throw new Error(`the scenarios did not run to their end: ${run.error?.message ?? `exit ${run.status}`}`)
  return scratch
}
