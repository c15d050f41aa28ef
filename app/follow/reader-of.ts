/** Active readers, by what they read. */
const readers = new WeakMap<object, Map<string, unknown>>();

/**
 * Returns the single reader of a subject in this process.
 *
 * @param source what its subject is read from. It lives as long as the connection to that, for all calls: an engine can be an
 * object of one call, and each follower would get a reader of its own.
 * @param key identifies the subject among all kinds of subjects
 * @param make creates the reader, which calls its argument as soon as it is over
 */
export function shareReader<Reader>(source: object, key: string, make: (onOver: () => void) => Reader): Reader {
  const known = readers.get(source) ?? new Map<string, unknown>();
  readers.set(source, known);
  const there = known.get(key) as Reader | undefined;
  if (there) return there;
  const made: Reader = make(() => {
    if (known.get(key) === made) known.delete(key);
  });
  known.set(key, made);
  return made;
}
