// Prints what people typed, which tools were called, how long turns took and what names a session, event by event.
import { detailFields, discover, diskSource, readEvents } from 'clew'

const { sessions } = await discover('a.jsonl')

for (const log of sessions.flatMap(session => session.logs)) {
  for await (const event of readEvents(diskSource(), log)) {
    // The kind says what the detail is: here a number of milliseconds.
    if (event.kind === 'notice' && event.detail?.durationMs) console.log(`${event.at}  ${event.detail.durationMs} ms`)
    if (event.kind === 'title') console.log(detailFields(event))
    for (const block of event.blocks) {
      if (event.kind === 'prompt' && block.type === 'text') console.log(`${event.at}  ${block.text}`)
      if (block.type === 'tool-call') console.log(`${event.at}    ${block.name} (${block.callId.slice(0, 10)}…)`)
    }
  }
}
