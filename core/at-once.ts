/**
 * Runs work for each item, at most `atOnce` at a time, and returns the results in the items' order. The first error
 * ends it.
 */
export async function mapAtOnce<T, R>(items: Iterable<T>, atOnce: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const all = [...items];
  const answers = new Array<R>(all.length);
  let next = 0;
  const one = async () => {
    while (next < all.length) {
      const index = next++;
      answers[index] = await work(all[index] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, one));
  return answers;
}
