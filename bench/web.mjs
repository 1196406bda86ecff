// The web app in a real Chromium: how soon the first content of a session is shown, how soon the list of very many sessions can
// be used, whether a very long session scrolls, what the scripts weigh.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { basename, delimiter, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { chromium } from 'playwright-core'
import { projectRoot } from '../scripts/source.mjs'
import { idAt, longId, writeLongSession } from '../test/deep/browser/long-session.mjs'
import { compare, mbRow, median, msRow, ratioRow, skippedRow } from './kit.mjs'
import { cache, manyFiles, oneSession } from './logs.mjs'

const rounds = 7
const sizes = { small: 1, large: 50 }
const events = 100_000
const screens = ['/', '/search?q=total', '/usage', '/archive']
const sessionScreens = ['', '/map', '/context', '/files']

function findChromium() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  return names.flatMap(name => folders.map(folder => join(folder, name))).find(path => existsSync(path))
}

/** A home with one session of that size; all sizes begin alike. */
function sessionHome(megabytes) {
  const { root, path } = oneSession(megabytes)
  return { home: root, id: basename(path, '.jsonl') }
}

function longHome() {
  const home = join(cache, `web-${events}-events`)
  if (!existsSync(home)) {
    writeLongSession(`${home}.part`, events)
    renameSync(`${home}.part`, home)
  }
  return home
}

/** The app over a home, with an index that stays from one start to the next. */
async function serve(home) {
  const own = join(cache, 'web', basename(home))
  const server = spawn(process.execPath, [join(projectRoot, 'dist/cli/main.js'), 'serve', '--no-open'], {
    env: { ...process.env, CLEW_HOME: own, CLAUDE_CONFIG_DIR: resolve(home), NO_COLOR: '1' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const address = await new Promise((done, fail) => {
    server.stdout.on('data', chunk => {
      const found = /http:\/\/\S+/.exec(chunk.toString())?.[0]
      if (found) done(found)
    })
    server.on('close', code => fail(new Error(`clew serve ended with ${code}`)))
  })
  const stop = () =>
    new Promise(done => {
      server.removeAllListeners('close')
      server.on('close', done)
      server.kill('SIGTERM')
    })
  return { address, origin: new URL(address).origin, stop }
}

/** Work with a browser that is signed in; the server ends with it. */
async function withApp(browser, home, work) {
  const { address, origin, stop } = await serve(home)
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  try {
    await context.addInitScript(watchTasks)
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    await page.goto(address)
    return await work(page, origin)
  } finally {
    await context.close()
    await stop()
  }
}

/** In the page: long tasks, and when something is first there, in milliseconds since the page was asked for. */
function watchTasks() {
  window.__tasks = []
  new PerformanceObserver(list => window.__tasks.push(...list.getEntries())).observe({
    type: 'longtask',
    buffered: true,
  })
  window.__firstAt = selector =>
    new Promise(done => {
      const look = () => {
        const found = document.querySelector(selector)
        if (found?.textContent.trim()) requestAnimationFrame(() => done(performance.now()))
        else requestAnimationFrame(look)
      }
      look()
    })
}

/** Until the first item of a session can be read; the server has just been started and knows the index. */
function firstContent(browser, { home, id }) {
  return withApp(browser, home, async (page, origin) => {
    await page.locator('.session-row').first().waitFor()
    await page.goto('about:blank')
    await page.goto(`${origin}/s/${id}`, { waitUntil: 'commit' })
    return page.evaluate("window.__firstAt('main .item-prompt')")
  })
}

async function compareFirst(browser) {
  const [small, large] = [sessionHome(sizes.small), sessionHome(sizes.large)]
  // Both are indexed before anything counts.
  for (const one of [small, large]) await firstContent(browser, one)
  const pairs = []
  while (pairs.length < rounds) pairs.push([await firstContent(browser, small), await firstContent(browser, large)])
  const result = compare(pairs.map(pair => pair.map(ms => ({ ms }))))
  return [ratioRow(`web app, first content of a session of ${sizes.large} MB`, `${sizes.small} MB`, result, 1.3)]
}

/** Sessions are there to be clicked, and no task keeps the page from answering. */
async function homeReady(browser, sessions) {
  const home = manyFiles(sessions)
  const times = await withApp(browser, home, async (page, origin) => {
    await page.locator('.session-row').first().waitFor()
    const found = []
    while (found.length < rounds) {
      await page.goto('about:blank')
      await page.goto(`${origin}/`, { waitUntil: 'commit' })
      const shown = await page.evaluate("window.__firstAt('main a.session-row')")
      await page.waitForTimeout(700)
      const busy = await page.evaluate('window.__tasks.map(task => task.startTime + task.duration)')
      found.push(Math.max(shown, ...busy.filter(end => end < shown + 500)))
    }
    return found
  })
  return [msRow(`web app, list of ${sessions} sessions can be used`, median(times), 1500)]
}

/** In the page: the whole outline is there. */
function isLong(height) {
  return document.querySelector('.transcript-scroll')?.scrollHeight > height
}

async function scrollLong(browser) {
  const { task, heap, jump } = await withApp(browser, longHome(), async (page, origin) => {
    await page.goto(`${origin}/s/${longId}`)
    await page.waitForFunction(isLong, events * 8)
    await page.waitForTimeout(1000)
    // Other work on the machine may stop the page for a moment: the best of three counts.
    let best = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < 3 && best > 200; tries++) best = Math.min(best, await scrollOnce(page))
    const client = await page.context().newCDPSession(page)
    await client.send('HeapProfiler.collectGarbage')
    const { usedSize } = await client.send('Runtime.getHeapUsage')
    const started = performance.now()
    await page.goto(`${origin}/s/${longId}?event=${idAt(Math.floor(events / 8) * 6)}`)
    await page.locator('[data-marked="true"]').waitFor()
    return { task: Math.round(best), heap: Math.round(usedSize / 1e6), jump: Math.round(performance.now() - started) }
  })
  return [
    msRow(`web app, longest task while scrolling ${events} events`, task, 200),
    mbRow('web app, heap of that page', heap * 1e6, 250),
    msRow('web app, a link into the middle of it', jump),
  ]
}

/** The longest task while somebody scrolls, jumps and scrolls again; 50 where none was long. */
async function scrollOnce(page) {
  await page.evaluate('window.__tasks.length = 0')
  await page.mouse.move(600, 500)
  for (let step = 0; step < 80; step++) {
    await page.mouse.wheel(0, step % 4 === 3 ? 6000 : 900)
    await page.waitForTimeout(16)
  }
  for (const part of [0.3, 0.9, 0.1, 0.6, 1, 0]) {
    await page.evaluate(
      `{ const outer = document.querySelector('.transcript-scroll'); outer.scrollTop = outer.scrollHeight * ${part} }`,
    )
    await page.waitForTimeout(150)
    for (let step = 0; step < 6; step++) await page.mouse.wheel(0, -700)
  }
  await page.waitForTimeout(200)
  return Math.max(50, ...(await page.evaluate('window.__tasks.map(task => task.duration)')))
}

/** All scripts that the screens load, as they would be sent: what is only fetched for a language's colours is not in it. */
async function shipped(browser) {
  const { home, id } = sessionHome(sizes.small)
  const loaded = await withApp(browser, home, async (page, origin) => {
    const found = new Set()
    page.on('request', request => {
      if (request.url().endsWith('.js')) found.add(new URL(request.url()).pathname)
    })
    for (const path of [...screens, ...sessionScreens.map(screen => `/s/${id}${screen}`)]) {
      await page.goto(origin + path)
      await page.waitForTimeout(900)
    }
    return [...found]
  })
  const bytes = loaded.map(path => gzipSync(readFileSync(join(projectRoot, 'dist/web', path)), { level: 9 }).length)
  return [
    mbRow(
      'web app, scripts of all screens, gzipped',
      bytes.reduce((sum, one) => sum + one, 0),
      0.4,
    ),
  ]
}

export async function webRows({ files }) {
  const executablePath = findChromium()
  if (executablePath === undefined) return [skippedRow('web app', 'no Chromium on this machine')]
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--enable-precise-memory-info'] })
  try {
    const parts = [shipped, compareFirst, homeReady, scrollLong]
    const rows = []
    for (const part of parts) rows.push(...(await part(browser, files)))
    return rows
  } finally {
    await browser.close()
  }
}
