/**
 * Plays a new user's session with the built command line on local hosts. Compares each answer with the actual state of
 * the hosts, found with systemctl, ss, nft, dpkg, psql and curl.
 *
 * `npm run journey -- --write --json`
 *
 * `--write` updates the table in docs/start/journey.md. Exit code 1 if an answer is not true. Exit code 2 if this
 * machine cannot run hosts or the arguments are wrong.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../core/errors.js';
import { cacheOf } from '../../home/home.js';
import { provisioning } from '../support/command-line.js';
import { sweep, whyNoHosts } from '../support/hosts.js';
import { play } from './play.js';
import { startSession } from './session.js';
import { lineOf, renderTable } from './table.js';

const PAGE = resolve(import.meta.dirname, '../../docs/start/journey.md');

const started = performance.now();
const seconds = () => ((performance.now() - started) / 1000).toFixed(0).padStart(4);

/** Returns an environment without the user's own settings. */
function environmentOf(folder: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(TEMPORAL_|PROVISIONING_)/.test(name));
  return { ...Object.fromEntries(own), HOME: folder, PROVISIONING_HOME: join(folder, 'home'), PROVISIONING_CACHE: cacheOf() };
}

async function main(): Promise<0 | 1 | 2> {
  const options = { write: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } } as const;
  const { write, json } = parseArgs({ options }).values;
  const why = await whyNoHosts('plain');
  if (why) throw new Error(why);
  const say = (text: string) => void (json ? process.stderr : process.stdout).write(`${text}\n`);
  const infra = `journey-${process.pid}`;
  const folder = await mkdtemp(join(tmpdir(), 'provisioning-journey-'));
  const env = environmentOf(folder);
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interrupted.abort(new Error(`${signal}: what was begun is removed`)));
  const session = startSession(
    { infra, folder, env, interrupted: interrupted.signal },
    (title) => say(`\n[${seconds()} s] ${title}`),
    (row) => say(lineOf(row)),
  );
  try {
    const phases = await play(session);
    const { compared } = session;
    if (json) console.log(JSON.stringify({ compared, phases }, undefined, 2));
    if (write) await writePage(renderTable(compared, phases));
    for (const { what, requests, failed, wrong } of phases)
      say(`${what}: ${requests} requests, ${failed} failed, ${wrong} wrong answers`);
    const differ = compared.filter(({ agree }) => !agree).length;
    say(`[${seconds()} s] ${compared.length} comparisons, ${differ} differ`);
    return differ === 0 ? 0 : 1;
  } finally {
    await provisioning({ env }, ['down']);
    await sweep(infra);
    await rm(folder, { recursive: true, force: true });
  }
}

async function writePage(table: string): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  const marked = /(?<=<!-- journey -->\n).*(?=<!-- \/journey -->)/s;
  if (!marked.test(page)) throw new Error(`${PAGE} has no place for the table`);
  await writeFile(
    PAGE,
    page.replace(marked, () => `\n${table}\n\n`),
  );
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(messageOf(error));
  return 2 as const;
});
