// The records of the chain → the messages that Claude Code sends when it resumes a session. It is a pipeline of rules, each a
// function of its own with its reason and an example; all of them were measured with the version in reference.ts, by what it
// sent to a stand-in for the API. Which records are on the chain is decided in links.ts.
//
//     on the chain                                   sent
//     user        paint the fence                    user       paint the fence
//     attachment  It is Friday                       system     It is Friday
//     assistant   m1  thinking               ──►     assistant  m1: thinking, looking, call c1, call c2
//     assistant   m1  looking                        user       result c1, [result c2: Tool call interrupted …]
//     assistant   m1  call c1                        assistant  No response requested.
//     user        result c1
//     assistant   m1  call c2

import type { ContextMessage } from '../../model/session.ts'
import { answerLastMessage, closeOpenCalls, dropEmptyAnswers } from './broken-off.ts'
import { moveAttachmentsUp, partsOf, putResultsBehindCalls } from './chain-parts.ts'
import { dropEmptyTexts, joinParts } from './join.ts'
import type { Chain } from './links.ts'
import { pairCalls } from './pair-calls.ts'
import { newestModel } from './reference.ts'
import { dropForeignThinking, foldsReminders, modelThatContinues } from './resumed-model.ts'
import { toSentMessages } from './sent-messages.ts'

export interface Composed {
  messages: ContextMessage[]
  /** The model that continues. */
  model: string
}

export function composeMessages(chain: Chain): Composed {
  const partsFor = (model: string) => closeOpenCalls(putResultsBehindCalls(partsOf(chain, model)), chain)
  const model = modelThatContinues(partsFor(newestModel))
  const forModel = dropForeignThinking(partsFor(model), model)
  // Only now: without its thinking an answer may say nothing.
  const answered = answerLastMessage(dropEmptyAnswers(forModel), chain)
  const messages = dropEmptyTexts(joinParts(moveAttachmentsUp(answered), foldsReminders(chain)))
  return { messages: toSentMessages(pairCalls(messages), model), model }
}
