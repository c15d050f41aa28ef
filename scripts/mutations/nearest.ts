import { dirname } from 'node:path';

/** Orders tests: those of the module, then of its folder, its room and all others. */
export function nearestFirst(path: string, tests: readonly string[]): string[] {
  const distance = (test: string): number => {
    if (test === path.replace(/\.ts$/, '.test.ts')) return 0;
    if (dirname(test) === dirname(path)) return 1;
    return test.split('/')[0] === path.split('/')[0] ? 2 : 3;
  };
  return [...tests].sort((one, other) => distance(one) - distance(other) || (one < other ? -1 : 1));
}
