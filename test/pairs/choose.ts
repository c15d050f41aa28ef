import { seededRandom } from '../support/random.js';

/** Services that meet on one server: a single one, or two. */
export type Meeting = readonly [string] | readonly [string, string];

/** Maximum number of services for which all pairs are played. */
const ALL_PAIRS_OF = 12;

/** Number of drawn pairs that share nothing, for a larger number of services. */
const DRAWN = 50;

interface Among {
  mayMeet(a: string, b: string): boolean;
  /** Packages, ports and files that each service touches. */
  touches: ReadonlyMap<string, ReadonlySet<string>>;
  seed: number;
}

/**
 * Chooses all pairs for up to a dozen services. For more, it chooses the pairs that share a package, port or file, and
 * fifty more drawn by the seed.
 */
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

/** Returns the resources that both services touch. */
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

/** Draws so many items with equal probability. */
function draw<T>(from: readonly T[], count: number, seed: number): T[] {
  const random = seededRandom(seed);
  const left = [...from];
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(Math.floor(random() * left.length), 1)).flat();
}
