import type { Fault } from '../fault.js';
import type { Stage } from '../stage.js';
import { judgeWell, prepare, SLOW } from './demo-work.js';

type Failures = NonNullable<Parameters<Stage['account']['behave']>[0]['failures']>;

const READS = ['servers.list', 'networks.read'] as const;
const CALLS = {
  make: [...READS, 'networks.create', 'servers.create', 'servers.ready', 'host.step'],
  change: [...READS, 'servers.create', 'servers.ready', 'host.step'],
  delete: ['servers.delete', 'networks.delete'],
} as const;

/** An account that answers some of the calls in a bad way. */
async function badAnswers(
  stage: Stage,
  failureOf: (verb: string) => Failures[number],
  more: { callMs?: number } = {},
): Promise<void> {
  const work = await prepare(stage);
  const calls: readonly string[] = CALLS[stage.moment[0] as keyof typeof CALLS];
  // Steps on a host and waiting for a boot have an hour, not a call's time.
  const verbs = stage.some(more.callMs ? calls.filter((verb) => /create|delete/.test(verb)) : calls);
  stage.moment.push(verbs.join(' '));
  await stage.account.behave({ latencyMs: { ...SLOW, boot: 100 }, failures: verbs.map(failureOf) });
  await stage.submit({ ...work.wish, timing: { retryMs: 100, ...more } });
  await judgeWell(stage, work);
  const { failures } = (await stage.account.read()).settings;
  stage.demand(failures.length === 0, `${failures.map(({ verb }) => verb).join(', ')} did not fail as often as it was to`);
}

export const answers: Fault[] = [
  {
    name: 'answer-429',
    about: 'a provider puts calls off and says for how long; none may come earlier',
    on: 'demo',
    round: (stage) =>
      badAnswers(stage, (verb) => ({ verb, error: 'rate-limited', times: stage.draw(1, 3), retryAfterMs: stage.draw(200, 1_200) })),
  },
  {
    name: 'answer-500',
    about: 'a provider fails before it acts, or acts and loses the answer',
    on: 'demo',
    round: (stage) =>
      badAnswers(stage, (verb) => ({ verb, error: stage.pick(['weather', 'after-effect'] as const), times: stage.draw(1, 3) })),
  },
  {
    name: 'answer-none',
    about: 'a provider acts and then says nothing, until the call is given up',
    on: 'demo',
    round: (stage) => badAnswers(stage, (verb) => ({ verb, error: 'silence' }), { callMs: 1_200 }),
  },
];
