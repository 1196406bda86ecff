// The entry of decoding: bytes → lines → records → events. Pure: no I/O, no clock, and it never throws.

export type { EventOptions, EventState } from './events.ts'
export { decodeText, EventDecoder, eventOptions } from './events.ts'
export type { RecordState } from './records.ts'
export { RecordDecoder } from './records.ts'
