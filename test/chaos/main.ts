/**
 * Injects every fault of the list, each round at a moment that the seed draws. Checks that nothing is orphaned,
 * doubled, locked or silently waiting.
 *
 * `npm run chaos -- --rounds 20 --seed 1 --only worker-kill,ssh-cut --json`
 *
 * Exit code 1 if anything is wrong, 2 for wrong arguments. Ctrl-C finishes the current rounds, removes the hosts and
 * prints the results.
 */
import { parseArgs } from 'node:util';
import { messageOf } from '../../core/errors.js';
import { startTestEngine } from '../support/engine.js';
import { setup as keepHomes } from '../support/engines.js';
import type { Fault } from './fault.js';
import { GROUP_INFRA } from './faults/group-work.js';
import { endHosts, HOSTS_INFRA } from './faults/host-work.js';
import { faults } from './faults/index.js';
import type { RoundResult } from './round-result.js';
import { playRound } from './run.js';
import { renderTable, rowsOf } from './table.js';

const HELP = `npm run chaos -- [options]

  --rounds N      rounds of each fault (default 3)
  --round N       only this round of each fault: to repeat one that failed
  --seed N        what the moments are drawn from (default 1)
  --only A,B      only these faults
  --lanes N       engines side by side; those on hosts keep to the first (default 2)
  --json          one document instead of the table
  --help

Faults:
${faults.map(({ name, about, on }) => `  ${name.padEnd(26)} ${about}${on === 'hosts' ? ' [local hosts]' : ''}`).join('\n')}`;

interface Settings {
  rounds: number[];
  seed: number;
  lanes: number;
  chosen: Fault[];
  json: boolean;
}

class WrongArgument extends Error {}

function settingsOf(): Settings | undefined {
  const values = given();
  if (values.help) return undefined;
  const whole = (name: string, text: string | undefined, preset: number) => {
    const value = Number(text ?? preset);
    if (!Number.isInteger(value) || value < 1) throw new WrongArgument(`--${name}: "${text}" is no whole number from 1`);
    return value;
  };
  const names = values.only?.split(',') ?? faults.map(({ name }) => name);
  const unknown = names.filter((name) => !faults.some((fault) => fault.name === name));
  if (unknown.length > 0) throw new WrongArgument(`--only: no fault "${unknown.join('", "')}"; see --help`);
  const one = values.round === undefined ? undefined : whole('round', values.round, 1);
  const count = whole('rounds', values.rounds, 3);
  return {
    rounds: one === undefined ? Array.from({ length: count }, (_, index) => index + 1) : [one],
    seed: whole('seed', values.seed, 1),
    lanes: whole('lanes', values.lanes, 2),
    chosen: faults.filter(({ name }) => names.includes(name)),
    json: values.json ?? false,
  };
}

function given() {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({ options: { rounds: text, round: text, seed: text, only: text, lanes: text, json: flag, help: flag } })
      .values;
  } catch (error) {
    throw new WrongArgument(messageOf(error));
  }
}

async function main(): Promise<number> {
  const settings = settingsOf();
  if (!settings) {
    console.log(HELP);
    return 0;
  }
  const { rounds, seed, lanes, json } = settings;
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  const chosen = settings.chosen.filter(({ name, whyNot }) => {
    const why = whyNot?.();
    if (why) say(`left out: ${name}: ${why}`);
    return !why;
  });
  const results: RoundResult[] = [];
  const left: string[] = [];
  const started = performance.now();
  const removeHomes = await keepHomes();
  const waiting = [...chosen];
  let stopped = false;
  const stop = () => {
    stopped = true;
    say('ends after the current rounds');
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  /** A lane plays one fault after the other. Hosts belong to the engine of the first lane, which begins with them. */
  const nextOf = (lane: number): Fault | undefined => {
    const wanted = lane === 0 ? (waiting.find(({ on }) => on === 'hosts') ?? waiting[0]) : waiting.find(({ on }) => on === 'demo');
    return wanted && waiting.splice(waiting.indexOf(wanted), 1)[0];
  };
  const play = async (lane: number) => {
    const engine = await startTestEngine();
    try {
      for (let fault = nextOf(lane); fault; fault = nextOf(lane)) {
        const own = await fault.engine?.();
        try {
          for (const round of rounds) {
            if (stopped) return;
            const result = await playRound(own ?? engine, fault, round, seed);
            results.push(result);
            say(lineOf(result, seed));
          }
        } finally {
          await own?.stop();
        }
      }
    } finally {
      for (const infra of lane === 0 ? [HOSTS_INFRA, GROUP_INFRA] : [])
        left.push(...(await endHosts(engine, infra).catch((error: unknown) => [messageOf(error)])));
      await engine.stop();
    }
  };
  try {
    const played = await Promise.allSettled(Array.from({ length: Math.min(lanes, chosen.length) }, (_, lane) => play(lane)));
    for (const lane of played) if (lane.status === 'rejected') throw lane.reason;
  } finally {
    await removeHomes();
  }
  const rows = rowsOf(chosen, results);
  const failed = results.filter(({ findings }) => findings.length > 0);
  const minutes = (performance.now() - started) / 60_000;
  for (const name of left) say(`left after the hosts were deleted: ${name}`);
  if (json) console.log(JSON.stringify({ seed, minutes, rows, left, rounds: results }, undefined, 2));
  else console.log(`\nseed ${seed}, ${minutes.toFixed(1)} minutes\n\n${renderTable(rows)}\n`);
  say(
    failed.length === 0
      ? `all ${results.length} rounds ended as they must`
      : `${failed.length} of ${results.length} rounds went wrong`,
  );
  return failed.length + left.length === 0 ? 0 : 1;
}

function lineOf({ fault, round, ended, findings, moment, secondsFromFault, tookSeconds }: RoundResult, seed: number): string {
  const on = secondsFromFault === undefined ? '' : `, went on after ${secondsFromFault.toFixed(1)} s`;
  const head = `${`${fault} ${round}`.padEnd(30)} ${`${tookSeconds.toFixed(1)} s`.padStart(7)}  ${ended}${on}  [${moment}]`;
  if (findings.length === 0) return head;
  const again = `repeat: npm run chaos -- --only ${fault} --round ${round} --seed ${seed}`;
  return [head, ...findings.map(({ kind, what }) => `    ${kind}: ${what}`), `    ${again}`].join('\n');
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = error instanceof WrongArgument ? 2 : 1;
}
