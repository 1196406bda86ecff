// The log files under a folder, in one order for all that measure them.

import { filesUnder } from '../scripts/source.mjs'

/** Paths relative to the root. */
export const filesIn = root => filesUnder(root).filter(path => path.endsWith('.jsonl'))
