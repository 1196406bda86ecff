// Keeps the place of the Transcript screen until it is there.

export default function TranscriptScreen() {
  return <p className="empty">Transcript</p>
}
