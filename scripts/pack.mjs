// Proves the package as people get it: packed, installed into an empty project, run, imported and type-checked there.
// Everything happens in a temporary folder that is removed. It does not build.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { transform } from 'esbuild'
import { runLine, withDemo } from './docs-demo.mjs'
import { run, runNode, runNpm, tools } from './run.mjs'
import { filesUnder, projectRoot } from './source.mjs'

const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
const subpaths = Object.keys(manifest.exports).filter(name => name !== './package.json')
const modules = subpaths.map(name => name.replace(/^\./, manifest.name))

/** Nothing but the package's files belongs into it; these must be there and must not. */
const expected = ['dist/cli/main.js', 'dist/index.js', 'dist/types/index.d.ts', 'LICENSE', 'README.md']
const forbidden = /^(src|web|test|scripts|bench)\/|(^|\/)(node_modules|\.cache)\/|\.test\.|\.map$/

const session = 'b6f1c2de-6a0e-4b1c-9f55-0d6f3c1f7a10'
const envelope = {
  sessionId: session,
  isSidechain: false,
  userType: 'external',
  cwd: '/home/ada/shop',
  version: '2.1.100',
}
const records = [
  {
    ...envelope,
    type: 'user',
    uuid: 'a1',
    parentUuid: null,
    timestamp: '2026-01-02T03:04:05.000Z',
    message: { role: 'user', content: 'Please say hello.' },
  },
  {
    ...envelope,
    type: 'assistant',
    uuid: 'a2',
    parentUuid: 'a1',
    timestamp: '2026-01-02T03:04:06.000Z',
    requestId: 'req_1',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-6',
      content: [{ type: 'text', text: 'Hello!' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 3, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    },
  },
]

function expect(holds, message) {
  if (!holds) throw new Error(message)
}

async function succeed(what, running) {
  const result = await running
  expect(result.code === 0, `${what} ended with ${result.code}\n${result.output}`)
  return result.stdout
}

async function packInto(folder) {
  const args = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder]
  const [{ filename, files }] = JSON.parse(await succeed('npm pack', runNpm(args)))
  const paths = files.map(file => file.path)
  const missing = expected.filter(path => !paths.includes(path))
  expect(missing.length === 0, `the package lacks ${missing.join(', ')}`)
  const surplus = paths.filter(path => forbidden.test(path))
  expect(surplus.length === 0, `the package holds ${surplus.join(', ')}`)
  return join(folder, filename)
}

async function install(project, tarball) {
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  const args = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error', tarball]
  await succeed('npm install of the tarball', runNpm(args, { cwd: project }))
}

async function tryCommands(project) {
  const file = join(project, `${session}.jsonl`)
  writeFileSync(file, records.map(record => `${JSON.stringify(record)}\n`).join(''))
  const env = { CLAUDE_CONFIG_DIR: join(project, 'no-home'), CLEW_HOME: join(project, 'clew-home') }
  const version = await succeed(
    'npx clew --version',
    runNpm(['exec', '--no', '--', 'clew', '--version'], { cwd: project, env }),
  )
  expect(version.trim() === manifest.version, `clew --version printed ${version.trim()}, not ${manifest.version}`)
  const bin = join(project, 'node_modules/.bin/clew')
  const clew = async (...args) => {
    const running =
      process.platform === 'win32'
        ? run(`${bin}.cmd`, args, { cwd: project, env })
        : run(bin, args, { cwd: project, env })
    return await succeed(`clew ${args.join(' ')}`, running)
  }
  expect((await clew('records', file)).trim() !== '', 'clew records printed nothing')
  const events = (await clew('events', file, '--json'))
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(
    events.map(event => event.kind).join() === 'prompt,answer',
    `clew events gave ${events.map(event => event.kind)}`,
  )
  const report = JSON.parse(await clew('check', file, '--json'))
  expect(report.records === records.length, `clew check counted ${report.records} records`)
}

async function tryImports(project) {
  const lines = modules.map(
    name => `if (Object.keys(await import('${name}')).length === 0) throw new Error('${name} is empty')`,
  )
  writeFileSync(join(project, 'imports.mjs'), lines.join('\n'))
  await succeed('importing the package', runNode(join(project, 'imports.mjs'), [], { cwd: project }))
}

/** Our declarations are checked too (no skipLibCheck), without types of Node: nothing but the package is installed. */
async function tryTypes(project) {
  const lines = modules.map((name, index) => `import * as m${index} from '${name}'`)
  const names = modules.map((_, index) => `m${index}`)
  writeFileSync(join(project, 'consumer.ts'), `${lines.join('\n')}\nexport const all: object[] = [${names}]\n`)
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: 'NodeNext',
    target: 'ES2022',
    lib: ['ES2023', 'DOM'],
    types: [],
    noEmit: true,
  }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
  await succeed('type-checking a consumer', runNode(tools.tsc, ['-p', project], { cwd: project }))
}

/** Every example of the documentation runs with the package as it is installed, each on a sample history of its own. */
async function tryExamples(project) {
  const paths = filesUnder(projectRoot, 'docs/examples').filter(path => path.endsWith('.ts'))
  for (const path of paths) {
    const { code } = await transform(readFileSync(join(projectRoot, path), 'utf8'), { loader: 'ts', format: 'esm' })
    const script = join(project, `${basename(path, '.ts')}.mjs`)
    writeFileSync(script, code)
    await withDemo(async demo => {
      const result = runLine(demo, `"${process.execPath}" "${script}"`)
      expect(result.code === 0, `${path} ended with ${result.code}\n${result.stderr}`)
    })
  }
}

const folder = mkdtempSync(join(tmpdir(), 'clew-pack-'))
try {
  const project = join(folder, 'consumer')
  await install(project, await packInto(folder))
  await Promise.all([tryCommands(project), tryImports(project), tryTypes(project)])
  await tryExamples(project)
  console.log(`pack: fine (${modules.join(', ')})`)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
