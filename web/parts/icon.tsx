// The one small set of icons, drawn in lines. An icon alone on a button is named by the button.

const paths = {
  file: 'M4 1.500h5.500L13 5v9.500H4zM9.500 1.500V5H13',
  shell: 'm2.500 4 4 4-4 4M8 12.500h5.500',
  web: 'M8 1.800a6.200 6.200 0 1 0 0 12.400A6.200 6.200 0 1 0 8 1.800M1.800 8h12.400M8 1.800c-4.400 4-4.400 8.400 0 12.400M8 1.800c4.400 4 4.400 8.400 0 12.400',
  agent: 'M4 1.500V4c0 3 8 3 8 6.500S8 14 4 12M4 4c0 2 .2 8 0 10.500',
  list: 'm1.800 4 1.400 1.500L5.600 3M8 4.300h6.200M1.800 11l1.400 1.500L5.600 10M8 11.300h6.200',
  talk: 'M2 2.500h12v8.500H7.500L4 14v-3H2z',
  plug: 'M5.500 1.500v4M10.500 1.500v4M3.500 5.500h9v2.500a4.500 4.500 0 0 1-9 0zM8 12.500v2',
  other: 'M3.500 3.500h9v9h-9z',
  thinking: 'M3 8h.01M8 8h.01M13 8h.01',
  open: 'm6 3.500 4.500 4.500L6 12.500',
  copy: 'M5.500 5.500h8v8h-8zM3.500 10.500h-1v-8h8v1',
  link: 'M6.800 9.200a2.800 2.800 0 0 0 4 0l2.200-2.200a2.800 2.800 0 0 0-4-4L8 4M9.200 6.800a2.800 2.800 0 0 0-4 0L3 9a2.800 2.800 0 0 0 4 4l1-1',
  raw: 'M5.500 2.500C3.500 2.500 4.500 8 2 8c2.500 0 1.500 5.500 3.500 5.500M10.500 2.500c2 0 1 5.500 3.500 5.500-2.500 0-1.500 5.500-3.500 5.500',
  done: 'm3 8.500 3.500 3.500L13 4.500',
  bad: 'm4 4 8 8M12 4l-8 8',
  warn: 'M8 2 14.500 13.500h-13zM8 6.500v3.500M8 11.800v.3',
  stop: 'M5.200 1.800h5.600l3.400 3.400v5.600l-3.400 3.400H5.200l-3.400-3.400V5.200zM5.500 8h5',
  branch: 'M4.500 2v12M4.500 9c0-3 7-1.500 7-5M11.500 2v2',
  down: 'M8 2.500v11M3.500 9 8 13.500 12.500 9',
  up: 'M8 13.500v-11M3.500 7 8 2.500 12.500 7',
  close: 'm4 4 8 8M12 4l-8 8',
  info: 'M8 1.800a6.200 6.200 0 1 0 0 12.400A6.200 6.200 0 1 0 8 1.800M8 7.200v4M8 4.700v.3',
  picture: 'M2 3h12v10H2zM2 11l3.500-3.500 3 3 2-2L14 12M10.500 6h.01',
  scissors: 'm3 3 10 10M13 3 3 13',
  search: 'M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 1 0 0-9m3.500 8 3.500 3.500',
  quiet: 'M2.500 8h3l2-4 2 8 1.500-4h2.500',
  play: 'M5 3v10l8-5z',
  view: 'M2 5h7M12 5h2M10.500 3.500v3M2 11h2M7 11h7M5.500 9.500v3',
} as const

export type IconName = keyof typeof paths

export function Icon({ name, className = '' }: { name: IconName; className?: string }) {
  return (
    <svg className={`ic ${className}`} width="14" height="14" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}

const frame = {
  search: [16, paths.search],
  close: [12, 'm3 3 6 6M9 3 3 9'],
  menu: [18, 'M3 5h12M3 9h12M3 13h12'],
} as const

/** Icons of the bar and of search boxes, each in its own size. */
export function FrameIcon({ name }: { name: keyof typeof frame }) {
  const [size, path] = frame[name]
  return (
    <svg className="icon" width={size} height={size} viewBox={`0 0 ${size} ${size}`} aria-hidden="true">
      <path d={path} />
    </svg>
  )
}
