// `npm run bench`: measures what is promised and prints one table, in the form that docs/speed.md quotes. Candidates and
// baselines take turns in fresh processes; the median of their ratios counts, since machines are noisy.
//   npm run bench -- [--size 1000] [--files 10000] [--rounds 5] [--only index,grep] [--check] [--no-build]
//   `--size 200` is faster. `--check` fails where a promise is not met.

import { rmSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from '../scripts/build.mjs'
import { groups } from './jobs.mjs'
import { cache } from './logs.mjs'

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '1000' },
    files: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
    check: { type: 'boolean' },
    'no-build': { type: 'boolean' },
  },
})
const size = Number(values.size)
const amounts = { size, files: Number(values.files ?? (size < 1000 ? 2000 : 10_000)), rounds: Number(values.rounds) }
const names = values.only?.split(',') ?? Object.keys(groups)
const unknown = names.filter(name => !(name in groups))
if (unknown.length > 0)
  throw new Error(`no group ${unknown.join(', ')}; the groups are ${Object.keys(groups).join(', ')}`)

if (!values['no-build']) await build()
const rows = []
for (const name of names) {
  console.error(`measuring ${name} …`)
  rows.push(...(await groups[name](amounts)))
}
rmSync(join(cache, 'scratch'), { recursive: true, force: true })

const [cpu] = cpus()
console.log(
  `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} × ${cpu?.model.trim()}\n`,
)
console.log('| job | compared with | measured | in CPU time | promised: at most |\n|---|---|--:|--:|--:|')
for (const { job, comparedWith = '', shown, cpu = '', promised } of rows)
  console.log(`| ${job} | ${comparedWith} | ${shown} | ${cpu} | ${promised} |`)
const missed = rows.filter(({ measured, atMost }) => atMost !== undefined && measured > atMost)
for (const { job, shown, promised } of missed) console.log(`\nnot met: ${job}: ${shown}, promised ${promised}`)
if (values.check && missed.length > 0) process.exitCode = 1
