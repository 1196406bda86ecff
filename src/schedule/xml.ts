// Text inside of XML elements. It reads no XML.

const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

export function xmlText(text: string): string {
  return text.replace(/[&<>"']/g, character => names[character] ?? character)
}

/** The same in ASCII alone, for readers that may take the bytes for another encoding. */
export function xmlAscii(text: string): string {
  return xmlText(text).replace(/[^\u0000-\u007f]/gu, character => `&#${character.codePointAt(0) ?? 0};`)
}
