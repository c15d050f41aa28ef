/**
 * Returns the seed of the tests. `SEED` is a number, or `random` for a random seed, which is printed. Long runs use a
 * random seed unless `SEED` is set. All others use a fixed seed, so that a test fails only because of a change.
 *
 * @param fixed seed of a run without `SEED`
 * @throws Error for another `SEED`
 */
export function seedOf({ SEED, LONG }: NodeJS.ProcessEnv, fixed: number): number {
  const wanted = SEED || (LONG === '1' ? 'random' : String(fixed));
  if (wanted !== 'random' && !/^-?[0-9]{1,10}$/.test(wanted))
    throw new Error(`cannot use SEED="${wanted}": it is a whole number or "random"`);
  const seed = wanted === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(wanted) | 0;
  if (seed !== fixed) process.stdout.write(`this run draws with SEED=${seed}\n`);
  return seed;
}
