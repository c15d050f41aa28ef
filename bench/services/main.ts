/**
 * Measures how services on a host slow an operation with nothing to do. It compares a server with 25 running services
 * with a server with three of them, in turn on one engine.
 *
 * It measures the whole operation of a program, from the request to its result: admission, the check of the host by
 * SSH, and the answer. The check includes facts, comparison, and the health check of every service, as in each apply.
 * The start of a command is not included. A preview (`--check`) is measured too. Before that, each server is applied
 * until nothing is left to do. Both hosts are containers of this machine with two cores and 4 GiB. They share its
 * processors with worker and server.
 *
 * Needs `npm run build`, root and a Docker Engine. `RUNS` (9); `FEW` (3) and `MANY` (25) set the numbers of services.
 */
import { startTestEngine } from '../../test/support/engine.js';
import { setup as keepHomes } from '../../test/support/engines.js';
import { sweep, whyNoHosts } from '../../test/support/hosts.js';
import { median } from '../measure.js';
import { keepResult, machine, printTable } from '../report.js';
import { made, type Sample, type Side, turnOf } from './sides.js';

/** Maximum ratio to the time with three services. */
const GOAL = 1.8;
const RUNS = Number(process.env.RUNS ?? 9);
const SIDES = ['few', 'many'] as const;
const VERBS = ['apply', 'check'] as const;

type Figures = Record<keyof Sample, number>;

const why = await whyNoHosts();
if (why) throw new Error(why);
const say = (text: string) => void process.stdout.write(`${text}\n`);
const removeHomes = await keepHomes();
const infraOf = (side: Side) => `services-${process.pid}-${side}`;
try {
  const engine = await startTestEngine({ PROVISIONING_CHECK_ANSWERS: '0' });
  try {
    const servers = { few: await made(engine, infraOf('few'), 'few'), many: await made(engine, infraOf('many'), 'many') };
    const samples = { few: { apply: [], check: [] }, many: { apply: [], check: [] } } as Record<
      Side,
      Record<(typeof VERBS)[number], Sample[]>
    >;
    // The first turn opens connections and warms up code; it does not count.
    for (let turn = 0; turn <= RUNS; turn++)
      for (const verb of VERBS)
        for (const side of turn % 2 === 0 ? SIDES : SIDES.toReversed()) {
          const sample = await turnOf(engine, servers[side], verb === 'check');
          if (turn > 0) samples[side][verb].push(sample);
        }
    const medians = Object.fromEntries(
      VERBS.map((verb) => [verb, { few: figuresOf(samples.few[verb]), many: figuresOf(samples.many[verb]) }]),
    );
    const rows = VERBS.flatMap((verb) => SIDES.map((side) => rowOf(verb, side, servers[side].services)));
    say(`${machine()}; medians of ${RUNS} runs each, in turn`);
    printTable(['what', 'services', 'time', 'ratio', 'goal', 'activities', 'processor: worker', 'engine', 'host'], rows);
    const ratio = ratioOf('apply');
    say(`${ratio <= GOAL ? 'reached' : 'MISSED'}: ${ratio.toFixed(2)} of ${GOAL}`);
    say(`kept in ${await keepResult('services', { runs: RUNS, goal: GOAL, ratio, checkRatio: ratioOf('check'), medians })}`);

    function ratioOf(verb: (typeof VERBS)[number]): number {
      return figuresOf(samples.many[verb]).seconds / figuresOf(samples.few[verb]).seconds;
    }

    function rowOf(verb: (typeof VERBS)[number], side: Side, services: number): string[] {
      const { seconds, activities, worker, server, host } = figuresOf(samples[side][verb]);
      const isMany = side === 'many';
      return [
        verb === 'check' ? 'apply --check' : 'apply, nothing to do',
        String(services),
        ms(seconds),
        isMany ? ratioOf(verb).toFixed(2) : '1',
        isMany && verb === 'apply' ? `at most ${GOAL}` : '',
        String(activities),
        ...[worker, server, host].map(ms),
      ];
    }
  } finally {
    await engine.stop();
  }
} finally {
  for (const side of SIDES) await sweep(infraOf(side));
  await removeHomes();
}

function ms(seconds: number): string {
  return `${(seconds * 1_000).toFixed(0)} ms`;
}

function figuresOf(samples: readonly Sample[]): Figures {
  const of = (key: keyof Sample) => median(samples.map((sample) => sample[key]));
  return { seconds: of('seconds'), activities: of('activities'), worker: of('worker'), server: of('server'), host: of('host') };
}
