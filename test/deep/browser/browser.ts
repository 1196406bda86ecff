// The built server in a process of its own, and a real Chromium that opens the app. Without Chromium the tests are skipped.
// What the screens show is up to the tests.

import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clew, mainFile, type Result } from '../../cli/run.ts'
import { chromiumPath } from '../../needs.ts'
import { settled, watchPage } from './in-page.mjs'

export const desktop = { width: 1280, height: 900 }
export const phone = { width: 360, height: 740 }

/** A page, and everything in it that must not happen. */
export interface Opened {
  page: Page
  /** Errors on the console, uncaught ones, dialogs, new windows, requests to anybody else. */
  faults: string[]
  /** Addresses that were asked for, in order. */
  requests: string[]
}

export class App {
  readonly folder = mkdtempSync(join(tmpdir(), 'clew-web-'))
  /** The Claude home that is served. */
  readonly home = join(this.folder, 'home')
  readonly env = { HOME: this.folder, CLEW_HOME: join(this.folder, 'clew'), CLAUDE_CONFIG_DIR: this.home, TZ: 'UTC' }
  origin = ''
  #server: ChildProcess | undefined
  #browser: Browser | undefined
  #context: BrowserContext | undefined

  /** Serves the home and signs a browser in. */
  async start(executablePath: string): Promise<void> {
    mkdirSync(this.home, { recursive: true })
    const [address, browser] = await Promise.all([this.#serve(), launch(executablePath)])
    this.origin = new URL(address).origin
    this.#browser = browser
    this.#context = await browser.newContext({ viewport: desktop, reducedMotion: 'reduce', timezoneId: 'UTC' })
    await this.#context.addInitScript(watchPage)
    const page = await this.#context.newPage()
    await page.goto(address)
    await page.close()
  }

  /** Runs `clew …` over the same home. */
  clew(...args: string[]): Result {
    return clew([...args, '--timezone', 'UTC'], { env: this.env })
  }

  /** What `clew … --json` prints. */
  json<Value>(...args: string[]): Value {
    const { stdout, stderr, code } = this.clew(...args, '--json')
    if (code !== 0) throw new Error(`clew ${args.join(' ')} ended with ${code}\n${stderr}`)
    return JSON.parse(stdout)
  }

  async open(path: string, viewport = desktop): Promise<Opened> {
    if (!this.#context) throw new Error('the app was not started')
    const page = await this.#context.newPage()
    page.setDefaultTimeout(10_000)
    const opened: Opened = { page, faults: [], requests: [] }
    watch(opened, this.origin)
    await page.setViewportSize(viewport)
    await page.goto(this.origin + path)
    return opened
  }

  async close(): Promise<void> {
    await this.#browser?.close()
    await stop(this.#server)
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  /** The address that the server prints. */
  #serve(): Promise<string> {
    const args = [mainFile, 'serve', '--no-open', '--timezone', 'UTC']
    const server = spawn(process.execPath, args, {
      env: { ...process.env, ...this.env, NO_COLOR: '1' },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#server = server
    return new Promise((done, fail) => {
      let said = ''
      const hear = (chunk: Buffer) => {
        said += chunk.toString()
        const address = /http:\/\/\S+[?&]token=[\w-]+/.exec(said)?.[0]
        if (address !== undefined) done(address)
      }
      server.stdout.on('data', hear)
      server.stderr.on('data', hear)
      server.on('error', fail)
      server.on('close', code => fail(new Error(`clew serve ended with ${code}\n${said}`)))
    })
  }
}

/** Names lead nowhere: whatever asks for another machine fails, and is seen among the requests. */
function launch(executablePath: string): Promise<Browser> {
  const args = ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1']
  return chromium.launch({ executablePath, args })
}

function watch({ page, faults, requests }: Opened, origin: string): void {
  page.on('console', message => {
    if (message.type() === 'error') faults.push(`console: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', error => faults.push(`uncaught: ${error.stack ?? error.message}`))
  page.on('dialog', dialog => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('popup', popup => faults.push(`new window: ${popup.url()}`))
  page.on('websocket', socket => faults.push(`socket: ${socket.url()}`))
  page.on('request', request => {
    const url = request.url()
    requests.push(url)
    const isOwn = url.startsWith(`${origin}/`) || url.startsWith('data:') || url.startsWith(`blob:${origin}/`)
    if (!isOwn) faults.push(`request: ${url}`)
  })
}

async function stop(server: ChildProcess | undefined): Promise<void> {
  if (!server || server.exitCode !== null || server.signalCode !== null) return
  const ended = new Promise(done => server.once('close', done))
  server.kill('SIGTERM')
  const timer = setTimeout(() => server.kill('SIGKILL'), 5000)
  await ended
  clearTimeout(timer)
}

/** The bundled sample history, copied so that it may be changed; nothing was written to it for two days. */
export function sampleHome({ home }: App): void {
  cpSync(resolve('samples/home'), home, { recursive: true })
  const before = Date.now() / 1000 - 2 * 86_400
  for (const name of readdirSync(home, { recursive: true, encoding: 'utf8' }))
    utimesSync(join(home, name), before, before)
}

type Check = (name: string, work: (app: App) => Promise<void>, timeout?: number) => void

/** Tests that share one server and one browser; `prepare` fills the home before. */
export function describeApp(name: string, prepare: (app: App) => void, declare: (check: Check) => void): void {
  describe(name, { tags: 'chromium' }, () => {
    let app: App
    beforeAll(async () => {
      app = new App()
      prepare(app)
      await app.start(chromiumPath ?? '')
    }, 120_000)
    afterAll(() => app.close())
    declare((title, work, timeout = 60_000) => it(title, { timeout }, () => work(app)))
  })
}

/** Nothing that must not happen has happened; then the page is closed. */
export async function finish({ page, faults }: Opened): Promise<void> {
  const forbidden = await page.evaluate('window.__forbidden')
  await page.close()
  expect({ faults, forbidden }).toEqual({ faults: [], forbidden: [] })
}

/** Waits until nothing is on its way any more and the screen is still. */
export async function still(page: Page, quietMs = 200): Promise<void> {
  await page.locator('main').first().waitFor()
  await expect.poll(() => page.locator(waiting).count(), { timeout: 50_000 }).toBe(0)
  await page.evaluate(settled, { quietMs, mostMs: 5000 })
}

const waiting =
  'main [aria-busy="true"], main .skeleton, main .waiting, main [data-waiting="true"], main .empty[role="status"]'

/** What can be read in the page, or in a part of it. */
export async function words(page: Page, part = 'main'): Promise<string> {
  return (await page.locator(part).allInnerTexts()).join('\n')
}

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
let axeText: string | undefined

/** What is in the way of people with assistive technology: serious and critical findings, a line each. */
export async function barriers(page: Page): Promise<string[]> {
  axeText ??= readFileSync(axePath, 'utf8')
  await page.evaluate(`window.axe || ${axeText}; undefined`)
  const found = await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
      .filter(one => one.impact === 'serious' || one.impact === 'critical')
      .flatMap(one => one.nodes.slice(0, 4).map(node => one.id + ': ' + node.target.join(' ') + ' ' + node.html.slice(0, 160)
        + ' ' + (node.any[0]?.message ?? node.failureSummary ?? ''))))`,
  )
  return found as string[]
}

/** A picture for whoever looks at the app: with CLEW_SCREENS set, under .cache/screens. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!process.env['CLEW_SCREENS']) return
  const folder = resolve('.cache/screens')
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`) })
}
