// Fixtures of the rules of kind statistic: what is said of most records, not of each.

import type { Fixture } from '../fixture.ts'
import { s3 } from './make.ts'

export const fixtures: Fixture[] = [
  {
    code: 'orphan-keeps-logical-parent',
    follows: [s3(1, null, 'user', 'Hi'), s3(2, 99, 'user', 'Go on', { logicalParentUuid: 'msg-1' })],
    breaks: [s3(1, null, 'user', 'Hi'), s3(2, 99, 'user', 'Go on')],
  },
]
