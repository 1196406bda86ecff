// All check rules, one per row of rules.json that has a check. A list only: what the rules do is in their own modules.

import type { Rule } from './rule.ts'
import { blockRules } from './rules-a/blocks.ts'
import { envelopeRules } from './rules-a/envelope.ts'
import { flagRules } from './rules-a/flags.ts'
import { historyRules } from './rules-a/history.ts'
import { messageRules } from './rules-a/message.ts'
import { resultRules } from './rules-a/results.ts'
import { specialLineRules } from './rules-a/special-lines.ts'
import { toolRules } from './rules-a/tools.ts'
import { typeRules } from './rules-a/types.ts'
import { usageRules } from './rules-a/usage.ts'
import { versionRules } from './rules-a/versions.ts'
import { compactionRules } from './rules-b/compaction.ts'
import { contentRules } from './rules-b/content.ts'
import { idRules } from './rules-b/ids.ts'
import { lineRules } from './rules-b/lines.ts'
import { locationRules } from './rules-b/locations.ts'
import { orderRules } from './rules-b/order.ts'
import { pairingRules } from './rules-b/pairing.ts'
import { relationRules } from './rules-b/relations.ts'
import { sidechainRules } from './rules-b/sidechains.ts'
import { subagentRules } from './rules-b/subagents.ts'

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
