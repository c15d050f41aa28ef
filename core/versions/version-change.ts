/** How two versions differ, by the first number that does. */
export type VersionChange = 'major' | 'minor' | 'patch';

/** The numbers that a version begins with: `[9, 18]` of `9.18`, `[3, 0]` of `3.0pl1`. */
export const numbersOf = (version: string): number[] => /^\d+(\.\d+)*/.exec(version)?.[0].split('.').map(Number) ?? [];

/** Returns the first part in which two versions differ. Undefined if none does, as for two builds of one version. */
export function versionChange(from: string, to: string): VersionChange | undefined {
  const [before, after] = [numbersOf(from), numbersOf(to)];
  const at = Array.from({ length: Math.max(before.length, after.length) }, (_, index) => index).find(
    (index) => (before[index] ?? 0) !== (after[index] ?? 0),
  );
  if (at === undefined) return undefined;
  return at === 0 ? 'major' : at === 1 ? 'minor' : 'patch';
}

/** Reports whether `of` is a version of `series`: both `15.20` and `15` belong to `15`. */
export function isOfSeries(of: string, series: string): boolean {
  const numbers = numbersOf(of);
  return numbersOf(series).every((number, index) => numbers[index] === number);
}
