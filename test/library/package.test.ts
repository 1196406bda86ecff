// The package as a bundler and a type checker see it: what is not used falls away, SQLite is not loaded before it is asked for,
// and declarations need nothing that is not in it.

import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { exportedNames } from '../../scripts/docs-api.mjs'

const { exports: entries } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  exports: Record<string, { types: string; default: string }>
}
const modules = Object.entries(entries).filter(([name]) => name !== './package.json')

/** How many bytes an import of the package adds to a bundle. */
async function bundled(code: string): Promise<number> {
  mkdirSync('.cache', { recursive: true })
  const folder = mkdtempSync(resolve('.cache/bundle-'))
  try {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(resolve('.'), join(folder, 'node_modules/clew'))
    const { outputFiles } = await build({
      stdin: { contents: code, resolveDir: folder },
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      platform: 'node',
      external: ['@photostructure/sqlite'],
      logLevel: 'silent',
    })
    return outputFiles.reduce((sum, file) => sum + file.contents.length, 0)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('the package', () => {
  it('has every file that its entries name', () => {
    const files = modules.flatMap(([, { types, default: code }]) => [types, code])
    expect(files.filter(file => !existsSync(file))).toEqual([])
  })

  it.each(modules)('%s exports as values what it declares as values', async (_name, { default: code, types }) => {
    const source = types.replace('dist/types/', 'src/').replace(/\.d\.ts$/, '.ts')
    const declared = exportedNames(resolve('.'), source.replace(/^\.\//, '')).filter(({ kind }) => kind !== 'type')
    const there = Object.keys(await import(pathToFileURL(resolve(code)).href))
    expect(declared.map(({ name }) => name).sort()).toEqual(there.sort())
  })

  it('needs no install script, so npm asks for no approval', () => {
    const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      allowScripts: Record<string, boolean>
    }
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { hasInstallScript?: boolean; optional?: boolean }>
    }
    const scripted = Object.entries(packages).filter(([, facts]) => facts.hasInstallScript && !facts.optional)
    expect(Object.fromEntries(scripted.map(([path]) => [path.replace(/^.*node_modules\//, ''), false]))).toEqual(
      allowScripts,
    )
  })

  it('costs a bundle what is used of it', async () => {
    // A few percent of the whole, which is what comes without `sideEffects` in package.json.
    expect(await bundled(`import { discover } from 'clew'; console.log(discover)`)).toBeLessThan(40_000)
    expect(await bundled(`import { decodeText } from 'clew'; console.log(decodeText)`)).toBeLessThan(60_000)
  })

  it('loads no SQLite before it is needed', () => {
    const code = `
      for (const entry of ['decode', 'graph', 'load', 'index']) await import('./dist/' + entry + '.js')
      console.log(JSON.stringify(process.report.getReport().sharedObjects.filter(name => name.includes('sqlite'))))`
    const done = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' })
    expect(done.stderr).toBe('')
    expect(JSON.parse(done.stdout)).toEqual([])
  })

  it.each(['decode', 'graph', 'load'])('clew/%s needs no other package', async entry => {
    const { metafile } = await build({
      entryPoints: [`dist/${entry}.js`],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      packages: 'external',
      metafile: true,
      logLevel: 'silent',
    })
    const imports = Object.values(metafile.inputs).flatMap(input => input.imports)
    expect(imports.filter(({ external }) => external).map(({ path }) => path)).toEqual([])
  })

  it('compiles strictly in a program that has no types of Node', () => {
    const folder = mkdtempSync(join(tmpdir(), 'clew-types-'))
    try {
      const installed = join(folder, 'node_modules/clew')
      cpSync('dist/types', join(installed, 'dist/types'), { recursive: true })
      cpSync('package.json', join(installed, 'package.json'))
      cpSync('node_modules/zod', join(folder, 'node_modules/zod'), { recursive: true })
      const names = modules.map(([name]) => name.replace('.', 'clew'))
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
      writeFileSync(join(folder, 'use.ts'), names.map((name, at) => `export * as m${at} from '${name}'\n`).join(''))
      const strict = { strict: true, skipLibCheck: false, noEmit: true, types: [], exactOptionalPropertyTypes: true }
      const target = { module: 'NodeNext', target: 'ES2022', lib: ['ES2023', 'DOM'] }
      writeFileSync(
        join(folder, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: { ...strict, ...target }, files: ['use.ts'] }),
      )
      const { stdout, status } = spawnSync(
        process.execPath,
        [resolve('node_modules/typescript/bin/tsc'), '-p', folder],
        { encoding: 'utf8' },
      )
      expect(stdout).toBe('')
      expect(status).toBe(0)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('has declarations that lead to declarations of the package, and to nothing of Node', () => {
    const seen = new Set(modules.map(([, { types }]) => join(types)))
    for (const path of seen) {
      const text = readFileSync(path, 'utf8')
      expect(text, path).not.toMatch(/sourceMappingURL|from 'node:|\bBuffer\b|\bNodeJS\./)
      for (const [, to = ''] of text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.js['"]/g))
        seen.add(join(dirname(path), `${to}.d.ts`))
    }
    expect(seen.size).toBeGreaterThan(modules.length)
  })
})
