// All check rules, one per row of rules.json that has a check. A list only: what the rules do is in their own modules.

import { blockRules } from './records/blocks.ts'
import { envelopeRules } from './records/envelope.ts'
import { flagRules } from './records/flags.ts'
import { historyRules } from './records/history.ts'
import { messageRules } from './records/message.ts'
import { resultRules } from './records/results.ts'
import { specialLineRules } from './records/special-lines.ts'
import { toolRules } from './records/tools.ts'
import { typeRules } from './records/types.ts'
import { usageRules } from './records/usage.ts'
import { versionRules } from './records/versions.ts'
import type { Rule } from './rule.ts'
import { compactionRules } from './sessions/compaction.ts'
import { contentRules } from './sessions/content.ts'
import { idRules } from './sessions/ids.ts'
import { lineRules } from './sessions/lines.ts'
import { locationRules } from './sessions/locations.ts'
import { orderRules } from './sessions/order.ts'
import { pairingRules } from './sessions/pairing.ts'
import { relationRules } from './sessions/relations.ts'
import { sidechainRules } from './sessions/sidechains.ts'
import { subagentRules } from './sessions/subagents.ts'

export const allRules: readonly Rule[] = [
  ...typeRules,
  ...envelopeRules,
  ...versionRules,
  ...flagRules,
  ...messageRules,
  ...usageRules,
  ...blockRules,
  ...toolRules,
  ...resultRules,
  ...specialLineRules,
  ...historyRules,
  ...compactionRules,
  ...contentRules,
  ...idRules,
  ...lineRules,
  ...locationRules,
  ...orderRules,
  ...pairingRules,
  ...relationRules,
  ...sidechainRules,
  ...subagentRules,
]
