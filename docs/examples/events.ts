// Streams the events of a file and prints what people typed and which tools were called.
import { discover, diskSource, readEvents } from 'clew'

const { sessions } = await discover('a.jsonl')

for (const log of sessions.flatMap(session => session.logs)) {
  for await (const event of readEvents(diskSource(), log)) {
    for (const block of event.blocks) {
      if (event.kind === 'prompt' && block.type === 'text') console.log(`${event.at}  ${block.text}`)
      if (block.type === 'tool-call') console.log(`${event.at}    ${block.name} (${block.callId.slice(0, 10)}…)`)
    }
  }
}
