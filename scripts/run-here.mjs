// Runs the built command line tool inside this process, with its own arguments, environment and input: a tenth of the time of a
// process. One run at a time; colours, signals and locks need a process.

import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'

/** Node's own `import()`, also where a test runner has loaded this file and put its own in the place of it. */
const nativeImport = createRequire(import.meta.url)('./native-import.cjs')
let runs = 0
let last = Promise.resolve()

/**
 * Runs the script to its end, after those that were asked for before.
 * @param {string} main
 * @param {readonly string[]} args
 * @param {import('./run-here.mjs').HereOptions} [options]
 * @returns {Promise<{ stdout: string, stderr: string, code: number }>}
 */
export function runHere(main, args, options = {}) {
  const result = last.then(() => runNow(main, args, options))
  last = result.catch(() => {})
  return result
}

async function runNow(main, args, { input = '', env = {}, cwd = process.cwd(), isTerminal = false }) {
  const { argv, exitCode } = process
  const before = { env: { ...process.env }, cwd: process.cwd() }
  const isTTY = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY') ?? {}
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {}
  const printed = { stdout: '', stderr: '' }
  const writes = ['stdout', 'stderr'].map(name => [name, process[name].write])
  try {
    for (const [name] of writes) process[name].write = writeInto(printed, name)
    process.chdir(cwd)
    process.argv = [process.execPath, main, ...args]
    Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true })
    setEnv({ ...before.env, ...env })
    process.exitCode = undefined
    Object.defineProperty(process.stdout, 'isTTY', { value: isTerminal, configurable: true, writable: true })
    await nativeImport(`${pathToFileURL(main)}?run=${runs++}`)
    return { ...printed, code: Number(process.exitCode ?? 0) }
  } finally {
    for (const [name, write] of writes) process[name].write = write
    Object.defineProperty(process.stdout, 'isTTY', { value: undefined, writable: true, ...isTTY, configurable: true })
    process.argv = argv
    process.chdir(before.cwd)
    Object.defineProperty(process, 'stdin', stdin)
    setEnv(before.env)
    process.exitCode = exitCode
  }
}

function writeInto(printed, name) {
  return (chunk, ...rest) => {
    printed[name] += chunk instanceof Uint8Array ? Buffer.from(chunk).toString() : String(chunk)
    const done = rest.at(-1)
    if (typeof done === 'function') done()
    return true
  }
}

/** Exactly these; undefined ones are not there. */
function setEnv(env) {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name]
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value
}
