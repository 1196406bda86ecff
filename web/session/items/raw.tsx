// The record of an event as it was written: where it lies, and its bytes, set out or as they are.

import { useMemo, useState } from 'react'
import type { RawRecord } from '../../../src/view/reading.ts'
import { countText, sizeText } from '../../../src/view/words.ts'
import { Code } from '../../parts/code.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Facts } from '../../parts/facts.tsx'
import { useAsync, useReader } from '../../reader.ts'
import { Failure } from '../../shell/errors.tsx'
import { Sheet } from '../sheet.tsx'

export function RawSheet({ event, onClose }: { event: string; onClose(): void }) {
  const reader = useReader()
  const { value, error, reload } = useAsync(() => reader.raw(event), [reader, event])
  return (
    <Sheet title="Raw record" onClose={onClose}>
      {error ? <Failure error={error} title="The record could not be read" retry={reload} /> : null}
      {value ? <RawText record={value} /> : null}
    </Sheet>
  )
}

function RawText({ record }: { record: RawRecord }) {
  const [isSetOut, setSetOut] = useState(true)
  const setOut = useMemo(() => pretty(record), [record])
  const text = isSetOut && setOut !== undefined ? setOut : record.text
  return (
    <>
      <Facts
        facts={[
          { name: 'file', value: record.file },
          { name: 'line', value: countText(record.line) },
          { name: 'offset', value: countText(record.offset) },
          { name: 'size', value: `${sizeText(record.bytes)}${record.isCut ? ', cut here' : ''}` },
          { name: 'event', value: record.event },
        ]}
      />
      <p className="raw-tools">
        {setOut === undefined ? null : (
          <button type="button" className="tool-button" onClick={() => setSetOut(!isSetOut)}>
            {isSetOut ? 'As written' : 'Set out'}
          </button>
        )}
        <CopyButton text={() => record.text} what="record" label="Copy the line" />
      </p>
      <Code key={record.event} text={text} language="json" what="record" />
    </>
  )
}

/** A record that is no JSON, or nested too deep, is shown as it is. */
function pretty(record: RawRecord): string | undefined {
  if (record.isCut) return
  try {
    return JSON.stringify(JSON.parse(record.text), null, 2)
  } catch {
    return
  }
}
