import { messageOf } from '../../core/errors.js';
import { demoAccount } from '../support/demo.js';
import type { TestEngine } from '../support/engine.js';
import { endAll } from '../support/operations.js';
import { seededRandom } from '../support/random.js';
import type { Fault } from './fault.js';
import { HOSTS_INFRA } from './faults/host-work.js';
import type { RoundResult } from './round-result.js';
import { Stage } from './stage.js';

/** Returns the random numbers of a round. They depend only on the seed, the fault and the round. */
function randomOf(seed: number, fault: string, round: number): () => number {
  const text = `${seed}/${fault}/${round}`;
  const number = [...text].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 16_777_619) >>> 0, 2_166_136_261);
  return seededRandom(number);
}

/** Plays one round of a fault, checks it, and removes all its resources. Failures of the round are never thrown. */
export async function playRound(engine: TestEngine, fault: Fault, round: number, seed: number): Promise<RoundResult> {
  const started = performance.now();
  const account = demoAccount(engine);
  await account.clear();
  const stage = new Stage(
    engine,
    randomOf(seed, fault.name, round),
    fault.on === 'hosts' ? (fault.infra ?? HOSTS_INFRA) : undefined,
  );
  try {
    await fault.round(stage);
  } catch (error) {
    stage.find('wrong', messageOf(error));
  }
  const times = await stage.times().catch(() => ({}));
  await clearUp(stage, fault).catch((error: unknown) => stage.find('wrong', `clearing up: ${messageOf(error)}`));
  return {
    fault: fault.name,
    round,
    ended: stage.findings.length > 0 ? 'badly' : stage.ended,
    findings: stage.findings,
    moment: stage.moment.join(', '),
    ...times,
    tookSeconds: (performance.now() - started) / 1000,
  };
}

/** Deletes the resources of the round, through the platform if it still works. */
async function clearUp(stage: Stage, { on }: Fault): Promise<void> {
  const { engine, account } = stage;
  await engine.up();
  await endAll(engine);
  if (on === 'hosts') return;
  await account.behave({});
  if (!(await stage.inventory())) return;
  // An unknown obstacle must not hold up the next rounds.
  await stage.undisturbed({ intent: { verb: 'delete' }, timing: { giveUpMs: 20_000 } });
  const { servers, networks, volumes } = await account.read();
  const left = [servers, networks, volumes].flatMap((table) => Object.keys(table));
  for (const name of left) stage.find('orphaned', `${name} is left after delete`);
}
