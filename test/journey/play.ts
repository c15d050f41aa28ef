import { deploy } from './acts/deploy.js';
import { drift } from './acts/drift.js';
import { end } from './acts/end.js';
import { masked, taken } from './acts/failures.js';
import { type Phase, scale } from './acts/scale.js';
import { unrelated } from './acts/unrelated.js';
import type { Session } from './session.js';

/** Plays the session from its first command to its last. Returns the results of the requests during it. */
export async function play(session: Session): Promise<Phase[]> {
  const { code, text } = await session.tell('up --local');
  if (code !== 0) throw new Error(`up ended with ${code}: ${text}`);
  await deploy(session);
  await drift(session);
  await masked(session);
  await taken(session);
  const phases = await scale(session);
  await unrelated(session);
  await end(session);
  return phases;
}
