// Loaded before a command that is measured: writes its peak memory to the file that CLEW_BENCH_PEAK names, when it ends.

const { writeFileSync } = require('node:fs')
const { isMainThread } = require('node:worker_threads')

const path = process.env.CLEW_BENCH_PEAK
if (isMainThread && path) {
  process.on('exit', () => writeFileSync(path, String(process.resourceUsage().maxRSS * 1024)))
}
