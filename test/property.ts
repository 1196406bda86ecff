// fast-check as all tests use it: `npm test` draws the same cases every time, so that a change fails only for what it changed.
// `npm run test:deep` draws new ones, and `CLEW_SEED` repeats those of a run.

import fc from 'fast-check'

const seed = process.env['CLEW_SEED'] ?? (process.env['CLEW_DEEP'] === '1' ? undefined : '20260101')
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) })

export default fc
