// Runs other programs for the scripts: waits, gathers what they print, never through a shell. It decides nothing.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { projectRoot } from './source.mjs'

/**
 * Runs a program to its end. `output` has stdout and stderr as they came.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, echo?: boolean }} [options]
 * @returns {Promise<{ code: number, output: string, stdout: string }>}
 */
export function run(command, args, { cwd = projectRoot, env = {}, echo = false } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = echo ? 'inherit' : ['ignore', 'pipe', 'pipe']
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio })
    let output = ''
    let stdout = ''
    child.stdout?.setEncoding('utf8').on('data', text => {
      stdout += text
      output += text
    })
    child.stderr?.setEncoding('utf8').on('data', text => {
      output += text
    })
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code: code ?? (signal ? 1 : 0), output, stdout }))
  })
}

/** Runs a Node script. */
export function runNode(script, args = [], options = {}) {
  return run(process.execPath, [script, ...args], options)
}

/** Runs npm as the installation that started us, so that it works without a shell on Windows too. */
export function runNpm(args, options = {}) {
  const npm = process.env.npm_execpath
  if (npm && /\.[cm]?js$/.test(npm)) return runNode(npm, args, options)
  return run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, options)
}

/** The script behind a tool of node_modules. */
export const tools = {
  biome: join(projectRoot, 'node_modules/@biomejs/biome/bin/biome'),
  tsc: join(projectRoot, 'node_modules/typescript/bin/tsc'),
  vitest: join(projectRoot, 'node_modules/vitest/vitest.mjs'),
}
