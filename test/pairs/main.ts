/**
 * Runs services on real hosts, each separately and in pairs: both applied at once, one removed, then the other one,
 * and one added again. After each step a second run must have nothing to do.
 *
 * `npm run pairs -- --lanes 2 --seed 1 --only firewall,postgres --reversed --write --json`
 *
 * `--reversed` names the two services in the other order. `--write` updates the table in docs/reference/pairs.md.
 * Takes a quarter of an hour on two cores. Exit code 1 if anything is left to do or is not healthy. Exit code 2 if
 * this machine cannot run hosts or the arguments are wrong.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../core/errors.js';
import { startTestEngine } from '../support/engine.js';
import { setup as keepHomes } from '../support/engines.js';
import { whyNoHosts } from '../support/hosts.js';
import { wrongIn } from './meet.js';
import { meetAsChosen } from './play.js';
import { services } from './services.js';
import { renderTable } from './table.js';

const PAGE = resolve(import.meta.dirname, '../../docs/reference/pairs.md');

const started = performance.now();
const seconds = () => ((performance.now() - started) / 1000).toFixed(0);
const say = (text: string) => void process.stderr.write(`[${seconds().padStart(4)} s] ${text}\n`);

function settings() {
  const { values } = parseArgs({
    options: {
      lanes: { type: 'string', default: '2' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string' },
      reversed: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const among = values.only?.split(',');
  const unknown = among?.find((name) => !services.includes(name));
  if (unknown !== undefined) throw new Error(`--only: no service "${unknown}"`);
  const whole = (name: 'lanes' | 'seed') => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name}: "${values[name]}" is no whole number from 1`);
    return value;
  };
  const { reversed, write, json } = values;
  return { among, lanes: whole('lanes'), seed: whole('seed'), reversed, write, json };
}

async function main(): Promise<0 | 1 | 2> {
  const { write, json, ...wish } = settings();
  const why = await whyNoHosts();
  if (why) throw new Error(why);
  const removeHomes = await keepHomes();
  try {
    const engine = await startTestEngine();
    try {
      const { met, touches } = await meetAsChosen(engine, wish, (one) => {
        say(`${one.meeting.join(' + ')}: ${one.seconds.toFixed(0)} s`);
        for (const wrong of wrongIn(one)) say(`  wrong: ${wrong}`);
      });
      const table = renderTable(met, touches);
      console.log(json ? JSON.stringify(met, undefined, 2) : table);
      if (write) writePage(table);
      const wrong = met.flatMap(wrongIn).length;
      say(`${met.length} meetings, ${met.flatMap(({ stages }) => stages).length} definitions, ${wrong} wrong`);
      return wrong === 0 ? 0 : 1;
    } finally {
      await engine.stop();
    }
  } finally {
    await removeHomes();
  }
}

function writePage(table: string): void {
  const page = readFileSync(PAGE, 'utf8');
  const marked = /(?<=<!-- pairs -->\n).*(?=<!-- \/pairs -->)/s;
  if (!marked.test(page)) throw new Error(`${PAGE} has no place for the table`);
  writeFileSync(
    PAGE,
    page.replace(marked, () => `\n${table}\n\n`),
  );
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(messageOf(error));
  return 2 as const;
});
