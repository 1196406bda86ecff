// Completes package-lock.json: `npm install` leaves out optional packages for other platforms when the registry in use does
// not carry them, and `npm ci` then refuses the lock. Their entries need only name, version and platform. Run it after a
// dependency has changed.
//   node scripts/lock.mjs            write
//   node scripts/lock.mjs --check    exit 1 when an entry is missing

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './source.mjs'

const systems = ['android', 'darwin', 'linux', 'win32', 'freebsd', 'openbsd', 'netbsd', 'sunos', 'aix', 'openharmony']
const processors = ['arm64', 'x64', 'ia32', 'arm', 'ppc64', 's390x', 'riscv64', 'loong64', 'mips64el', 'wasm32']

/** Platform of a package by the words of its name: `@x/binding-linux-arm64-musl`. */
function platformOf(name) {
  const words = name.split('/').at(-1).split('-')
  if (words.includes('fsevents')) return { os: ['darwin'] }
  if (words.includes('wasm32')) return { cpu: ['wasm32'] }
  const os = systems.filter(system => words.includes(system))
  const cpu = processors.filter(processor => words.includes(processor))
  const libc = words.some(word => word.startsWith('musl'))
    ? ['musl']
    : words.some(word => word.startsWith('gnu'))
      ? ['glibc']
      : []
  return {
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(libc.length > 0 && os[0] === 'linux' ? { libc } : {}),
    ...(os.length > 0 ? { os } : {}),
  }
}

function missingEntries(packages) {
  const missing = {}
  for (const entry of Object.values(packages)) {
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      const key = `node_modules/${name}`
      if (packages[key]) continue
      const version = /\d+\.\d+\.\d+\S*/.exec(range)[0]
      missing[key] = { version, ...(entry.dev ? { dev: true } : {}), optional: true, ...platformOf(name) }
    }
  }
  return missing
}

const path = join(projectRoot, 'package-lock.json')
const lock = JSON.parse(readFileSync(path, 'utf8'))
const missing = missingEntries(lock.packages)
if (process.argv.includes('--check')) {
  if (Object.keys(missing).length > 0) {
    console.error(
      `package-lock.json lacks ${Object.keys(missing).length} platform packages. Run: node scripts/lock.mjs`,
    )
    process.exitCode = 1
  }
} else {
  lock.packages = Object.fromEntries(
    Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) => (a < b ? -1 : 1)),
  )
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)
}
