/**
 * Returns whether the run plays only a part of a test file (scripts/proofs/sentinels.ts). `npm run verify` does this
 * for some long files.
 */
export const isInPart = (file: string): boolean => (process.env.TESTS_IN_PART ?? '').split(',').includes(file);

/**
 * Selects one of every `each` items, a different one for each commit.
 *
 * @param draw the seed; default: the current commit
 */
export function oneOfEach<T>(things: readonly T[], each: number, draw = process.env.TESTS_DRAW ?? '0'): T[] {
  const first = Number.parseInt(draw.slice(0, 8), 16) % each;
  return things.filter((_, index) => index % each === first);
}
