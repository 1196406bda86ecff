// A thread that reads one large session whole and answers questions about all of its texts.

import { parentPort, workerData } from 'node:worker_threads'
import { openSource } from '../../index/store/source.ts'
import { loadSession } from '../../session/load.ts'
import { graphReader } from '../../session/reading/graph-reader.ts'
import { answerWhole, type WholeAnswer, type WholeQuestion, type WholeStart } from './whole.ts'

const { home, files } = workerData as WholeStart
const reading = loadSession(openSource(home), files).then(graph => graphReader(graph))
// Whoever asks is told.
reading.catch(() => {})

parentPort?.on('message', async ({ number, question }: { number: number; question: WholeQuestion }) => {
  const answer: WholeAnswer = await reading
    .then(async reader => ({ number, value: await answerWhole(reader, question) }))
    .catch((error: unknown) => ({ number, error: error instanceof Error ? error.message : String(error) }))
  parentPort?.postMessage(answer)
})
