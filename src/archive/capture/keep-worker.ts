// A worker thread that keeps what is new, while the thread that asked for it does something else. What it tells is plain data:
// see `keep-beside`.

import { parentPort, workerData } from 'node:worker_threads'
import { ArchiveError, writeFailure } from '../format/error.ts'
import { Archive } from '../store/archive.ts'
import { keep } from './keep.ts'
import type { FromKeeper, KeeperData, PlainFailure } from './keep-beside.ts'

const { folder, waitMs, options, stop } = workerData as KeeperData
const tell = (message: FromKeeper) => parentPort?.postMessage(message)

/** Small files are told of together: a message costs as much as reading one, on both sides. */
const toldBytes = 2 * 1024 * 1024
let untold = 0
function tellBytes(bytes: number): void {
  untold += bytes
  if (untold < toldBytes) return
  tell({ bytes: untold })
  untold = 0
}

let goOn = () => {}
parentPort?.on('message', () => goOn())

const archive = new Archive(folder, { waitMs, onWait: holder => tell({ holder }) })
try {
  const { failure, ...report } = await keep(archive, {
    ...options,
    begin: bytes => tell({ begin: bytes }),
    progress: tellBytes,
    isStopped: () => Atomics.load(stop, 0) === 1,
    onCommit: () =>
      new Promise(done => {
        goOn = done
        tell({ isCommitted: true })
      }),
  })
  if (untold > 0) tell({ bytes: untold })
  tell({ report, ...(failure !== undefined && { failure: plain(failure) }) })
} catch (error) {
  tell({ failure: plain(error instanceof ArchiveError ? error : writeFailure(error, folder)) })
}
parentPort?.close()

function plain({ code, message, path }: ArchiveError): PlainFailure {
  return { code, message, ...(path !== undefined && { path }) }
}
