/** Whether the run plays only a part of a test file (scripts/proofs/sentinels.ts): `npm run verify` does, of some long ones. */
export const isInPart = (file: string): boolean => (process.env.TESTS_IN_PART ?? '').split(',').includes(file);

/**
 * One of each so many things, another one for each commit.
 *
 * @param draw what decides; default: the commit that is played
 */
export function oneOfEach<T>(things: readonly T[], each: number, draw = process.env.TESTS_DRAW ?? '0'): T[] {
  const first = Number.parseInt(draw.slice(0, 8), 16) % each;
  return things.filter((_, index) => index % each === first);
}
