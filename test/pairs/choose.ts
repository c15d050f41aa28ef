import { seededRandom } from '../support/random.js';

/** Services that meet on one server: one alone, or two. */
export type Meeting = readonly [string] | readonly [string, string];

/** As many services as all pairs of are played. */
const ALL_PAIRS_OF = 12;

/** Pairs that share nothing, of more services than that. */
const DRAWN = 50;

interface Among {
  mayMeet(a: string, b: string): boolean;
  /** What each touches: packages, ports, files. */
  touches: ReadonlyMap<string, ReadonlySet<string>>;
  seed: number;
}

/** All pairs of a dozen services; of more, those that share a package, port or file, and fifty drawn by the seed. */
export function choosePairs(services: readonly string[], among: Among, drawn = DRAWN, all = ALL_PAIRS_OF): Meeting[] {
  const pairs = pairsOf(services, among.mayMeet);
  if (services.length <= all) return pairs;
  const sharing = pairs.filter(([a, b]) => sharedBy(a, b, among.touches).length > 0);
  return [
    ...sharing,
    ...draw(
      pairs.filter((pair) => !sharing.includes(pair)),
      drawn,
      among.seed,
    ),
  ];
}

/** What two both touch. */
export const sharedBy = (a: string, b: string, touches: Among['touches']): string[] =>
  [...(touches.get(a) ?? [])].filter((thing) => touches.get(b)?.has(thing));

function pairsOf(services: readonly string[], mayMeet: Among['mayMeet']): [string, string][] {
  return services.flatMap((a, index) =>
    services
      .slice(index + 1)
      .filter((b) => mayMeet(a, b))
      .map((b): [string, string] => [a, b]),
  );
}

/** So many of them, each with the same chance. */
function draw<T>(from: readonly T[], count: number, seed: number): T[] {
  const random = seededRandom(seed);
  const left = [...from];
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(Math.floor(random() * left.length), 1)).flat();
}
