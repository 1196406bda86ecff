// Loaded before a program: leaves the most memory that its process took, in bytes, in the file that CLEW_TEST_PEAK names.

const { writeFileSync } = require('node:fs')
const { isMainThread } = require('node:worker_threads')

const file = process.env.CLEW_TEST_PEAK
if (file !== undefined && isMainThread)
  process.on('exit', () => writeFileSync(file, String(process.resourceUsage().maxRSS * 1024)))
