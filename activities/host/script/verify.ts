import { Context, cancellationSignal, sleep } from '@temporalio/activity';
import type { Answer, Question } from '../../../core/host/question.js';
import { awakeMs } from '../../awake.js';
import { beat } from '../../worked-time.js';
import type { HealthAnswer } from '../host.js';
import { scriptCauseOfEnd } from '../journal/tell-cause.js';
import { SHORT_MS } from '../time-limits.js';
import { causeAmong } from './cause.js';
import { look } from './look.js';
import type { Revealer } from './revealing.js';
import type { ScriptedHost } from './scripted-host.js';

/** Milliseconds between looks: the first pause, and the longest. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** Looks until a unit is healthy, or the time is over. */
export async function verify(host: ScriptedHost, question: Question, revealer: Revealer, withinMs: number): Promise<HealthAnswer> {
  const deadline = awakeMs() + withinMs;
  let seen = { server: host.server, taskserv: question.unit, step: 'Check the health' };
  const context = Context.current();
  const pulse = setInterval(() => beat(seen, context), 2_000);
  try {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const { answers } = await look(host, [question], revealer, { signal: cancellationSignal() });
      const answer = answers[0] as Answer;
      if (answer.why === undefined) return answer;
      if (awakeMs() >= deadline) return { ...answer, why: answer.why + (await causeOfEnd(host, question, revealer)) };
      seen = { ...seen, step: `Wait until healthy: ${answer.why}` };
      beat(seen, context);
      await sleep(pause);
    }
  } finally {
    clearInterval(pulse);
  }
}

/** Returns the lines of its services that explain the fault. Empty if they wrote none. */
async function causeOfEnd(host: ScriptedHost, { facts }: Question, { hide }: Revealer): Promise<string> {
  const services = Object.values(facts).flatMap((fact) => (fact.kind === 'service' ? [fact.name] : []));
  if (services.length === 0) return '';
  const limits = { signal: cancellationSignal(), limitMs: SHORT_MS };
  const said = await (await host.open()).exec(scriptCauseOfEnd(services), limits).catch(() => undefined);
  const cause = said && causeAmong(hide(said.stdout).split('\n').filter(Boolean));
  return cause ? `: ${cause}` : '';
}
