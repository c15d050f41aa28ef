import { seededRandom } from '../../test/support/random.js';
import { type Mutant, mutantsIn } from './mutants.js';

/** The folder of the repository at the top. */
export const roomOf = (path: string) => path.split('/')[0] as string;

/**
 * Draws mutants in rooms all over the house: one of each in turn, and in a room one of all its places.
 *
 * @param modules texts of the modules of the product, by path
 * @returns `count` different mutants, fewer only if there are no more places
 */
export function drawMutants(modules: ReadonlyMap<string, string>, count: number, seed: number): Mutant[] {
  const rooms = new Map<string, Mutant[]>();
  for (const [path, text] of [...modules].sort(([one], [other]) => (one < other ? -1 : 1)))
    rooms.set(roomOf(path), [...(rooms.get(roomOf(path)) ?? []), ...mutantsIn(path, text)]);
  const random = seededRandom(seed);
  const drawn: Mutant[] = [];
  while (drawn.length < count && rooms.size > 0) {
    for (const [room, places] of rooms) {
      if (places.length === 0) rooms.delete(room);
      else if (drawn.length < count) drawn.push(...places.splice(Math.floor(random() * places.length), 1));
    }
  }
  return drawn;
}
