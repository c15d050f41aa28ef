/** Active readers, by the engine whose subjects they read. */
const readers = new WeakMap<object, Map<string, unknown>>();

/**
 * Returns the single reader of a subject in this process.
 *
 * @param key identifies the subject among all kinds of subjects
 * @param make creates the reader, which calls its argument as soon as it is over
 */
export function shareReader<Reader>(engine: object, key: string, make: (onOver: () => void) => Reader): Reader {
  const known = readers.get(engine) ?? new Map<string, unknown>();
  readers.set(engine, known);
  const there = known.get(key) as Reader | undefined;
  if (there) return there;
  const made: Reader = make(() => {
    if (known.get(key) === made) known.delete(key);
  });
  known.set(key, made);
  return made;
}
