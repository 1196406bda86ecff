// Small pieces that several contract shapes are made of.

import { z } from 'zod'
import { eventKinds } from '../model/event.ts'

export const text = () => z.string()
export const count = () => z.number()
export const texts = () => z.array(z.string())
export const maybe = <T extends z.ZodType>(type: T) => type.exactOptional()
export const instant = () => z.string().nullable().describe('ISO 8601, UTC, milliseconds; null without a usable time')
export const dialect = () => z.enum(['client', 's0', 's3', 'history', 'journal', 'foreign', 'unknown'])
export const eventKind = () => z.enum(eventKinds)

export const usage = () =>
  z.looseObject({
    inputTokens: count(),
    outputTokens: count(),
    cacheCreationTokens: count(),
    cacheReadTokens: count(),
    cacheCreation5mTokens: maybe(count()),
    cacheCreation1hTokens: maybe(count()),
    serviceTier: maybe(z.string()),
    inferenceGeo: maybe(z.string()),
    webSearches: maybe(count()),
    outputFinal: z.boolean().describe('false where the log holds only a placeholder for the output: a lower bound'),
  })

export const project = () => z.looseObject({ cwd: text().nullable(), slug: text() })
export const callStatus = () => z.enum(['done', 'failed', 'interrupted', 'missing', 'running'])
export const relation = () => z.enum(['resumed-from', 'forked-from', 'continued-in', 'copied-from'])
export const titleSource = () => z.enum(['custom', 'ai', 'agent-name', 'last-prompt', 'summary', 'first-prompt', 'id'])
