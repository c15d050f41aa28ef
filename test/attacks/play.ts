import { type Attack, attacksOn } from './attacks.js';
import { OF_THE_SDK, type Registry } from './registry.js';
import { Stage } from './scene.js';
import type { Answer, Stranger } from './stranger.js';
import type { Victim } from './victim.js';

/** Result of an attack. `taken`: the message was accepted and changed nothing. */
export type Result = 'THROUGH' | 'taken' | 'sealed answer' | 'refused' | 'not let in' | 'nothing recorded' | 'FAILED' | 'works';

export const OWNER = 'what the owner may do';
/** Number of concurrent attacks that share nothing. */
const AT_ONCE = 8;

export interface Home {
  title: string;
  victim: Victim;
  stranger: Stranger;
  /** Registry of the home's code. The attacker uses the messages that both commits have. */
  registry: Registry;
  /** A home of the commit before messages were sealed. */
  former?: boolean;
}

/** Plays all attacks on one home. Returns the result of each. */
export async function play(
  { title, victim, stranger, registry, former }: Home,
  say: (text: string) => void,
): Promise<Map<string, Result>> {
  const stage = new Stage(victim);
  const found = new Map<string, Result>();
  const scene = await stage.prepare();
  let target = await stage.target();
  let before = await stage.view(target);
  const note = ({ name }: Attack, result: Result, why = '') => {
    found.set(name, result);
    say(`${title}: ${name}: ${result}${why && ` (${why})`}`);
  };
  const renew = async () => {
    target = await stage.target();
    before = await stage.view(target);
  };
  const count = attacksOn(registry, target).length;
  const [alone, beside] = [[] as number[], [] as number[]];
  for (let index = 0; index < count; index++) {
    const { kind } = attacksOn(registry, target)[index] as Attack;
    (['start', 'activity', 'query'].includes(kind) ? beside : alone).push(index);
  }

  async function one(index: number): Promise<void> {
    const attack = attacksOn(registry, target)[index] as Attack;
    const answer = await stranger.strike(attack, { scene, target });
    let result = resultOf(answer);
    // Messages of the SDK reach no handler of the workflows, and their answers are sealed.
    if (result === 'sealed answer' && (former || !OF_THE_SDK.includes(attack.what))) result = 'THROUGH';
    if (attack.kind === 'signal' && answer.outcome === 'taken') {
      const changed = (await stage.view(target).catch(String)) !== before;
      result = changed ? 'THROUGH' : former ? 'taken' : 'refused';
    }
    note(attack, result, answer.why);
  }

  const side = async (indices: readonly number[], atOnce: number) => {
    const queue = indices.values();
    const worker = async () => {
      for (const index of queue) await one(index);
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  };
  const untouched = async () => (await stage.view(target).catch(String)) === before;
  const isIn = (await stranger.strike(attacksOn(registry, target)[0] as Attack, { scene, target })).outcome !== 'not let in';
  // A client that is not accepted disturbs no other attack.
  await side(isIn ? beside : [...beside, ...alone], isIn ? AT_ONCE : count);
  if (!(await untouched())) throw new Error(`${title}: something changed what was not aimed at`);
  for (const index of isIn ? alone : []) {
    await one(index);
    if (await untouched()) continue;
    const { name } = attacksOn(registry, target)[index] as Attack;
    found.set(name, 'THROUGH');
    await renew();
  }
  found.set(OWNER, (await stage.serves(target).catch(() => false)) ? 'works' : 'FAILED');
  return found;
}

function resultOf({ outcome }: Answer): Result {
  if (outcome === 'through') return 'THROUGH';
  return outcome === 'failed' ? 'FAILED' : outcome;
}
