// What runs inside the page: each function is alone, since only its text gets there.

/** Before anything else in every page: what the policy forbids and what takes long is kept to be looked at. */
export function watchPage() {
  window.__forbidden = []
  window.__longTasks = []
  document.addEventListener('securitypolicyviolation', event => {
    window.__forbidden.push(`${event.effectiveDirective}: ${event.blockedURI} ${event.sample}`)
  })
  new PerformanceObserver(list => {
    for (const { duration, startTime } of list.getEntries()) window.__longTasks.push({ duration, startTime })
  }).observe({ type: 'longtask', buffered: true })
}

/** Waits until nothing has changed in the page for a moment. */
export async function settled({ quietMs, mostMs }) {
  await new Promise(resolve => {
    let quiet = setTimeout(resolve, quietMs)
    const observer = new MutationObserver(() => {
      clearTimeout(quiet)
      quiet = setTimeout(resolve, quietMs)
    })
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
    setTimeout(resolve, mostMs)
  })
}

/** Elements that reach beyond the right edge of the window, where nothing scrolls or cuts them on purpose. */
export function wideElements() {
  const root = document.scrollingElement
  const wide = root.scrollWidth > window.innerWidth ? [`the page is ${root.scrollWidth} px wide`] : []
  const cuts = new Set(['auto', 'scroll', 'hidden', 'clip'])
  const frames = new Set([document.documentElement, document.body, ...document.querySelectorAll('.app, .frame, main')])
  const isHeld = element => {
    for (let outer = element.parentElement; outer; outer = outer.parentElement) {
      if (!frames.has(outer) && cuts.has(getComputedStyle(outer).overflowX)) return true
    }
    return false
  }
  for (const element of document.body.querySelectorAll('*')) {
    const box = element.getBoundingClientRect()
    if (box.width === 0 || box.height === 0 || box.right <= window.innerWidth + 1 || isHeld(element)) continue
    if (getComputedStyle(element).visibility === 'hidden') continue
    wide.push(`<${element.tagName.toLowerCase()} class="${element.getAttribute('class')}"> ends at ${box.right}`)
  }
  return wide.slice(0, 5)
}

/** What an app that paints text only never has in its page. */
export function foreignParts() {
  const found = []
  const report = element => found.push(element.outerHTML.slice(0, 200))
  const never = 'iframe, frame, object, embed, base, audio, video, portal, marquee, math, template, style'
  for (const element of document.querySelectorAll(never)) report(element)
  for (const element of document.querySelectorAll('script, link')) {
    const address = element.src ?? element.href
    if (element.parentElement !== document.head || new URL(address).origin !== window.location.origin) report(element)
  }
  for (const element of document.querySelectorAll('meta[http-equiv], form[action], [srcdoc], [formaction], [ping]')) {
    report(element)
  }
  for (const element of document.querySelectorAll('*')) {
    if ([...element.attributes].some(({ name }) => /^on/i.test(name))) report(element)
    if (element.localName !== element.localName.replace(/[^a-z0-9-]/gi, '')) report(element)
  }
  for (const element of document.querySelectorAll('[href], [src]')) {
    const own = element.getAttribute('href') ?? element.getAttribute('src') ?? ''
    if (own === '' || own.startsWith('#') || (own.startsWith('/') && !own.startsWith('//'))) continue
    const { protocol, origin } = new URL(own, document.baseURI)
    if (origin === window.location.origin) continue
    // An editor of the fixed list, with an absolute path.
    if (element.localName === 'a' && /^(vscode|vscode-insiders|vscodium|cursor|windsurf|zed):\/\/file\/[^/]/.test(own))
      continue
    const isLink = element.localName === 'a' && ['http:', 'https:', 'mailto:'].includes(protocol)
    const isPicture = element.localName === 'img' && (protocol === 'data:' || protocol === 'blob:')
    if (!isLink && !isPicture) report(element)
    if (isLink && !/\bnoopener\b/.test(element.rel)) report(element)
  }
  return found
}

/**
 * Opens whatever can be opened, from the top of the screen to its end, and gives back what could be read on the way. What
 * was opened is waited for, five seconds at most.
 */
export async function readThrough({ step, waitMs, most }) {
  const wait = () => new Promise(resolve => setTimeout(resolve, waitMs))
  const main = document.querySelector('main')
  const outer = scrollerOf(main)
  let text = ''
  let opened = 0
  for (let round = 0; round < most; round++) {
    for (let again = 0; again < 6; again++) {
      const closed = [...main.querySelectorAll('[aria-expanded="false"], details:not([open]) > summary')]
      for (const element of closed) element.click()
      opened += closed.length
      await arrival()
      if (closed.length === 0) break
    }
    text += main.textContent
    const before = outer.scrollTop
    outer.scrollTop += step
    await arrival()
    if (outer.scrollTop === before) break
  }
  return { text, opened }

  async function arrival() {
    const until = performance.now() + 5000
    do await wait()
    while (main.querySelector('.waiting') && performance.now() < until)
  }

  function scrollerOf(within) {
    const scrolls = element => element.scrollHeight > element.clientHeight + 1 && isScroller(element)
    const isScroller = element => ['auto', 'scroll'].includes(getComputedStyle(element).overflowY)
    const found = [within, ...within.querySelectorAll('*')].filter(scrolls)
    return found.sort((a, b) => b.clientHeight * b.clientWidth - a.clientHeight * a.clientWidth)[0] ?? within
  }
}

/** Drops one file anywhere, as somebody does with the mouse. */
export function dropFile({ name, text }) {
  const data = new DataTransfer()
  data.items.add(new File([text], name))
  const target = document.elementFromPoint(window.innerWidth / 2, window.innerHeight / 2) ?? document.body
  for (const type of ['dragenter', 'dragover', 'drop']) {
    target.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }))
  }
}

/** Notes when each of these texts is first in the page: milliseconds since 1970, by text. */
export function noteArrivals(texts) {
  window.__arrived = {}
  const look = () => {
    const content = document.querySelector('main')?.textContent ?? ''
    for (const text of texts) if (content.includes(text)) window.__arrived[text] ??= Date.now()
  }
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
}

/** What the reader sees marked: where it is, and its text. */
export function markedItem() {
  const marked = document.querySelector('[data-marked="true"], .marked')
  if (!marked) return null
  const { top, bottom } = marked.getBoundingClientRect()
  const isInView = bottom > 0 && top >= 0 && top < window.innerHeight
  const point = document.elementFromPoint(window.innerWidth / 2, Math.max(0, top + 10))
  return { isInView, isUncovered: point !== null && marked.contains(point), text: marked.textContent }
}

/** How many marked words are in view. */
export function wordsInView() {
  const ranges = [...(CSS.highlights.get('found') ?? [])]
  return ranges.filter(range => {
    const { top, bottom, height } = range.getBoundingClientRect()
    return height > 0 && top > 0 && bottom < window.innerHeight
  }).length
}

/** Whether one can see where the keyboard's focus is. */
export function focusMark() {
  const element = document.activeElement
  if (!element || element === document.body) return null
  const style = getComputedStyle(element)
  const around = element.parentElement ? getComputedStyle(element.parentElement) : style
  const hasRing = one => one.outlineStyle !== 'none' && Number.parseFloat(one.outlineWidth) >= 1
  const name = element.getAttribute('aria-label') ?? element.textContent ?? ''
  const box = element.getBoundingClientRect()
  return {
    tag: element.localName,
    name: name.trim().slice(0, 80),
    isSeen: hasRing(style) || style.boxShadow !== 'none' || hasRing(around) || around.boxShadow !== 'none',
    isInView: box.bottom > 0 && box.top < window.innerHeight && box.width > 0,
  }
}

/** What the policy of the page must stop, each tried once. */
export async function tryForbidden(remote) {
  const made = []
  const make = (name, work, place = document.body) => {
    const element = document.createElement(name)
    made.push(element)
    // The policy may also refuse the attempt itself.
    try {
      work(element)
      place.append(element)
    } catch {}
    return element
  }
  make('script', script => script.append(document.createTextNode('window.__pwned = 1')))
  make('script', script => script.setAttribute('src', `${remote}/script.js`))
  const handler = make('button', button => button.setAttribute('onclick', 'window.__pwned = 2'))
  handler.click()
  make('div', div => {
    div.innerHTML = '<img src=x onerror="window.__pwned = 3">'
  })
  make('img', picture => picture.setAttribute('src', `${remote}/pixel.png`))
  make('style', sheet => sheet.append(document.createTextNode('body { display: none }')), document.head)
  make('iframe', frame => frame.setAttribute('src', `${remote}/frame`))
  const asked = await fetch(`${remote}/fetch`).then(
    () => 'answered',
    () => 'refused',
  )
  await new Promise(resolve => setTimeout(resolve, 150))
  const isHidden = getComputedStyle(document.body).display === 'none'
  for (const element of made) element.remove()
  return { asked, isHidden, pwned: window.__pwned ?? null, forbidden: window.__forbidden }
}

/** What an item says, without what its turn took, which may come later. */
export function ownWords(item) {
  const copy = item.cloneNode(true)
  for (const side of copy.querySelectorAll('.prompt-side')) side.remove()
  return copy.textContent ?? ''
}

/** Texts of a row that lie under its tools; null while these are not shown. */
export function coveredTexts(item) {
  const tools = item.querySelector('.item-tools')
  if (!tools || getComputedStyle(tools).opacity !== '1') return null
  const above = tools.getBoundingClientRect()
  const texts = [...item.querySelectorAll('.call *')].filter(one => one.children.length === 0 && one.textContent)
  return texts.flatMap(one => {
    const box = one.getBoundingClientRect()
    const isBeside = box.width === 0 || box.right <= above.left || box.left >= above.right
    return isBeside || box.top >= above.bottom || box.bottom <= above.top ? [] : [one.textContent]
  })
}

/** On how many lines the words of each element are. */
export function lineCounts(elements) {
  return elements.map(element => {
    const range = document.createRange()
    range.selectNodeContents(element)
    return range.getClientRects().length
  })
}

export function fontSize(element) {
  return Number.parseFloat(getComputedStyle(element).fontSize)
}
