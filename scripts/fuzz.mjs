// Looks for bytes that decoding cannot bear: mutated samples, for a number of seconds. It proves three laws: nothing is
// thrown (building the graph included), the bytes of the records add up to the input, chunk sizes do not matter. It does
// not look at what events say.
//   node scripts/fuzz.mjs [SECONDS] [--seed N] [--corpus DIR]

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build, isStale } from './build.mjs'
import { chance, mulberry, pick as pickFrom } from './random.mjs'
import { filesUnder, projectRoot } from './source.mjs'

const largestInput = 256 * 1024
/** Text that has a meaning somewhere in the format, or breaks what reads it. */
const spices = [
  '\n',
  '\r\n',
  '\0',
  '\ufeff',
  '}{',
  '},{',
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  'null',
  '-1',
  '1e999',
  '{}\n',
  '[]\n',
  '"\\ud800"',
  '"type":"user",',
  '"type":"assistant",',
  '"type":"system",',
  '"message":"x",',
  '"message":null,',
  '"content":[{}],',
  '"uuid":1,',
  '"parentUuid":{},',
  '"timestamp":1e30,',
  '"isSidechain":"yes",',
  '"__proto__":{},',
  '"toString":1,',
  '['.repeat(5000),
  '{"a":'.repeat(5000),
].map(text => Buffer.from(text))

function option(name, fallback) {
  const at = process.argv.indexOf(name)
  return at === -1 ? fallback : process.argv[at + 1]
}

/** Real bytes to begin with: the project's samples, fixtures, and a corpus next to it where there is one. */
function readSeeds() {
  const folders = [
    join(projectRoot, 'samples'),
    join(projectRoot, 'test'),
    option('--corpus', resolve(projectRoot, '../shared/corpus')),
  ]
  const paths = folders.filter(existsSync).flatMap(folder => filesUnder(folder).map(path => join(folder, path)))
  const logs = paths.filter(path => path.endsWith('.jsonl') && statSync(path).size > 0)
  const seeds = logs.map(path => readFileSync(path).subarray(0, largestInput))
  return seeds.length > 0
    ? seeds
    : [Buffer.from('{"type":"user","uuid":"a","message":{"role":"user","content":"x"}}\n')]
}

function mutate(seeds, random) {
  const pick = list => pickFrom(random, list)
  const from = pick(seeds)
  const start = Math.floor(random() * from.length)
  let bytes = Buffer.from(chance(random, 0.3) ? from : from.subarray(start, start + 20_000))
  const changes = 1 + Math.floor(random() * 8)
  for (let i = 0; i < changes; i++) {
    const at = Math.floor(random() * (bytes.length + 1))
    const length = Math.floor(random() ** 4 * 2000)
    const kind = Math.floor(random() * 5)
    const other = pick(seeds)
    if (kind === 0 && bytes.length > 0) bytes[Math.min(at, bytes.length - 1)] = Math.floor(random() * 256)
    else if (kind === 1) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
    else if (kind === 2) bytes = Buffer.concat([bytes.subarray(0, at), pick(spices), bytes.subarray(at)])
    else if (kind === 3) bytes = Buffer.concat([bytes.subarray(0, at), other.subarray(0, length), bytes.subarray(at)])
    else bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at, at + length), bytes.subarray(at)])
  }
  return bytes
}

/** What is wrong with decoding these bytes; undefined when all laws hold. */
function broken({ decodeText, RecordDecoder, buildGraph }, bytes, random) {
  try {
    const { records, events } = decodeText(bytes, { file: 'fuzz.jsonl' })
    buildGraph('fuzz', [{ path: 'fuzz.jsonl', role: 'session', events }])
    const sum = records.reduce((total, record) => total + record.bytes, 0)
    if (sum !== bytes.length) return `records hold ${sum} of ${bytes.length} bytes`
    const decoder = new RecordDecoder('fuzz.jsonl')
    const pieces = []
    for (let at = 0; at < bytes.length; ) {
      const size = 1 + Math.floor(random() ** 3 * 5000)
      pieces.push(...decoder.push(bytes.subarray(at, at + size)))
      at += size
    }
    pieces.push(...decoder.end())
    const places = list =>
      list.map(({ line, offset, bytes: length, part, status }) => [line, offset, length, part, status].join()).join(' ')
    return places(pieces) === places(records) ? undefined : 'records depend on the chunk size'
  } catch (error) {
    return error.stack
  }
}

/** Cuts away whatever is not needed for the failure, in ever smaller pieces, for at most ten seconds. */
function shrink(library, bytes) {
  const deadline = performance.now() + 10_000
  let small = bytes
  for (let size = Math.ceil(small.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < small.length && performance.now() < deadline; ) {
      const shorter = Buffer.concat([small.subarray(0, at), small.subarray(at + size)])
      if (broken(library, shorter, mulberry(1))) small = shorter
      else at += size
    }
  }
  return small
}

async function fuzz(seconds, seed) {
  if (isStale()) await build()
  const library = await import(new URL('../dist/index.js', import.meta.url).href)
  const seeds = readSeeds()
  console.log(`fuzz: seed ${seed}, ${seconds} s, ${seeds.length} files to begin with`)
  const deadline = performance.now() + seconds * 1000
  let count = 0
  for (; performance.now() < deadline; count++) {
    const random = mulberry(seed + count)
    const bytes = mutate(seeds, random)
    const problem = broken(library, bytes, random)
    if (!problem) continue
    const path = join(projectRoot, '.cache', `fuzz-${seed + count}.jsonl`)
    mkdirSync(join(projectRoot, '.cache'), { recursive: true })
    writeFileSync(path, shrink(library, bytes))
    console.error(
      `${problem}\n  repeat: node scripts/fuzz.mjs 1 --seed ${seed + count}\n  smallest bytes found: ${path}`,
    )
    process.exitCode = 1
    return
  }
  console.log(`fuzz: ${count} inputs, no failure`)
}

const seconds = Number(/^\d/.test(process.argv[2] ?? '') ? process.argv[2] : 60)
await fuzz(seconds, Number(option('--seed', Date.now() % 1_000_000_007)))
