import type { Fault } from '../fault.js';
import type { Stage } from '../stage.js';
import { judgeWell, prepare, SLOW } from './demo-work.js';

type Failures = NonNullable<Parameters<Stage['account']['behave']>[0]['failures']>;

/** Calls to a cloud's API during an operation. */
const CALLS = {
  make: ['servers.list', 'networks.read', 'networks.create', 'servers.create', 'servers.ready'],
  change: ['servers.list', 'networks.read', 'servers.create', 'servers.ready'],
  delete: ['servers.delete', 'networks.delete'],
} as const;

interface BadAnswers {
  of(verb: string): Failures[number];
  /** Selects the calls that may fail. It also decides on steps on hosts (`host.step`). */
  calls?: (verb: string) => boolean;
  callMs?: number;
}

/** Makes some calls of an account fail. */
async function badAnswers(stage: Stage, { of, calls = () => true, callMs }: BadAnswers): Promise<void> {
  const work = await prepare(stage);
  const asked = [...CALLS[stage.moment[0] as keyof typeof CALLS], ...(work.wanted ? ['host.step'] : [])];
  const verbs = stage.some(asked.filter(calls));
  stage.moment.push(verbs.join(' '));
  await stage.account.behave({ latencyMs: { ...SLOW, boot: 100 }, failures: verbs.map(of) });
  await stage.submit({ ...work.wish, timing: { retryMs: 100, callMs } });
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
      badAnswers(stage, {
        of: (verb) => ({ verb, error: 'rate-limited', times: stage.draw(1, 3), retryAfterMs: stage.draw(200, 1_200) }),
        calls: (verb) => verb !== 'host.step',
      }),
  },
  {
    name: 'answer-500',
    about: 'a provider fails before it acts, or acts and loses the answer',
    on: 'demo',
    round: (stage) =>
      badAnswers(stage, {
        of: (verb) => ({ verb, error: stage.pick(['weather', 'after-effect'] as const), times: stage.draw(1, 3) }),
      }),
  },
  {
    name: 'answer-none',
    about: 'a provider acts and then says nothing, until the call is given up',
    on: 'demo',
    round: (stage) =>
      badAnswers(stage, {
        of: (verb) => ({ verb, error: 'silence' }),
        // The wait for a boot and the steps on a host have a time-out of an hour.
        calls: (verb) => /create|delete/.test(verb),
        callMs: 1_200,
      }),
  },
];
