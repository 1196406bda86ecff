// The ball of thread.

export function Logo({ size = 20 }: { size?: number }) {
  return (
    <svg className="logo-mark" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true">
      <circle cx="9" cy="9" r="6.5" />
      <path d="M3.500 7c4-3 8-2.500 11 1M3 10.500c4-3 8.500-2 11.500 1M5 13.500c2.500-1.800 5.500-1.800 8 0M13.800 13.600c1.600 1.600 2.800 2.400 4.700 3.400" />
    </svg>
  )
}
