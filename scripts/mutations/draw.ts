import { seededRandom } from '../../test/support/random.js';
import { type Mutant, mutantsIn } from './mutants.js';

/** Returns the top-level folder of a path. */
export const roomOf = (path: string) => path.split('/')[0] as string;

/**
 * Draws mutants across all rooms in turn. Within a room every place is equally likely.
 *
 * @param modules texts of the product's modules, by path
 * @returns `count` different mutants, or fewer if there are not enough places
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
