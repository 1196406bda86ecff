// Streams the records of a file: every byte of it belongs to exactly one.
import { discover, diskSource, readRecords } from 'clew'

const { sessions } = await discover('session.jsonl')
const source = diskSource()

for (const log of sessions.flatMap(session => session.logs)) {
  let bytes = 0
  for await (const record of readRecords(source, log)) {
    bytes += record.bytes
    if (record.status !== 'known') console.log(`line ${record.line} at byte ${record.offset} is ${record.status}`)
  }
  console.log(`${bytes} of ${log.size} bytes read`)
}
