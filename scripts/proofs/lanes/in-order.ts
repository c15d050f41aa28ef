/** Seconds of a file that must not start among the last ones. */
const LONG_S = 60;

/**
 * Returns test files in the order in which they begin. Long files are first, the longest of all rooms before the
 * others: a long file that begins last occupies one processor while the other is idle. Short files follow room by
 * room, because a process plays a further file only if it is of the same room.
 */
export function inOrder<File>(files: readonly File[], of: { seconds(file: File): number; room(file: File): string }): File[] {
  const rooms = [...new Set(files.map(of.room))];
  const group = (file: File) => (of.seconds(file) >= LONG_S ? -1 : rooms.indexOf(of.room(file)));
  return files.toSorted((a, b) => group(a) - group(b) || of.seconds(b) - of.seconds(a));
}
