// Keeps the place of the Files screen until it is there.

export default function FilesScreen() {
  return <p className="empty">Files</p>
}
