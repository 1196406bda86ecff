// What the generators of pages share: parts between marks, tables, and either writing the result or saying that it is not
// current. What is in a page is decided by them.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { projectRoot } from './source.mjs'

/**
 * The text with the part between `<!-- name:start … -->` and `<!-- name:end -->` replaced.
 * @param {string} text
 * @param {string} name
 * @param {string} content
 */
export function withPart(text, name, content) {
  const marks = new RegExp(`(<!-- ${name}:start[^>]*-->\\n)[\\s\\S]*?(<!-- ${name}:end -->)`)
  if (!marks.test(text)) throw new Error(`the page has lost its marks <!-- ${name}:start --> and <!-- ${name}:end -->`)
  return text.replace(marks, (_, start, end) => `${start}\n${content.trim()}\n\n${end}`)
}

/** One cell of a table: a line break or `|` would end it. */
export const cell = text => text.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')

/**
 * @param {readonly string[]} names
 * @param {readonly (readonly string[])[]} rows
 */
export function table(names, rows) {
  const line = cells => `| ${cells.map(cell).join(' | ')} |`
  return [line(names), line(names.map(() => '---')), ...rows.map(line)].join('\n')
}

/**
 * Writes a page, or with `--check` only says whether it is current.
 * @param {string} page path relative to the project
 * @param {string} text
 * @param {string} fix the command that writes it
 */
export function finishPage(page, text, fix) {
  const path = join(projectRoot, page)
  const isCurrent = readFileSync(path, 'utf8') === text
  if (!process.argv.includes('--check')) {
    if (!isCurrent) writeFileSync(path, text)
    console.log(`${page}: ${isCurrent ? 'was current' : 'written'}`)
  } else if (isCurrent) {
    console.log(`${page}: current`)
  } else {
    console.error(`${page} is not what the source says now. Run: ${fix}`)
    process.exitCode = 1
  }
}

export const readPage = page => readFileSync(join(projectRoot, page), 'utf8')

/**
 * Bundles sources into a folder inside the project, where packages resolve, and removes it after the work.
 * @template Value
 * @param {Record<string, string>} entryPoints name without extension → source, relative to the project
 * @param {(folder: string) => Promise<Value>} work
 * @param {import('esbuild').BuildOptions} [options]
 * @returns {Promise<Value>}
 */
export async function withBundle(entryPoints, work, options = {}) {
  mkdirSync(join(projectRoot, '.cache'), { recursive: true })
  const outdir = mkdtempSync(join(projectRoot, '.cache/docs-'))
  try {
    await build({
      absWorkingDir: projectRoot,
      entryPoints,
      outdir,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      charset: 'utf8',
      logLevel: 'error',
      ...options,
    })
    return await work(outdir)
  } finally {
    rmSync(outdir, { recursive: true, force: true })
  }
}
