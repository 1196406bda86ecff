// The entry `clew/load`: sessions and logs over any source of bytes. What this project needs of the insides of a file is not in it.

export {
  GrowingLog,
  type GrowingStart,
  graphFile,
  type LoadOptions,
  loadSession,
  type RecordVisitor,
  readEvents,
  readRecords,
  recordBatches,
  toEventLine,
  toRecordLine,
} from './session/load.ts'
