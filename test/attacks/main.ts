/**
 * `npm run attacks`: what an unprivileged user of the machine gets done through
 * Temporal, against the last commit before messages were sealed, and against
 * this one: with its own engine, and with a plain `temporal` ("sealed only").
 *
 * Every attack must get through there and not here, and what the owner may do
 * must work in all three. Needs root, to become `nobody`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { FORMER, formerCheckout } from '../support/former.js';
import { temporalCli } from '../support/temporal-cli.js';
import { ATTACKS, type Attack, type Scene } from './attacks.js';
import { Victim } from './victim.js';

const NOBODY = 65_534;
const OWNER = 'what the owner may do';
const root = resolve(import.meta.dirname, '../..');
const say = (text: string) => process.stdout.write(`${text}\n`);

type Answer = { uid?: number; letIn: boolean; through?: boolean; failed?: string };

/** A program in one file, in a folder that `nobody` may read. */
async function bundled(): Promise<{ file: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'attacker-'));
  await chmod(folder, 0o755);
  const file = join(folder, 'attacker.mjs');
  const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  const entryPoints = [join(import.meta.dirname, 'attacker.ts')];
  await build({
    entryPoints,
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: banner },
    logLevel: 'error',
  });
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Plays all attacks on one home; answers which got through. */
async function play(title: string, victim: Victim, file: string): Promise<Map<string, string>> {
  const { address, namespace, taskQueue } = await victim.engine();
  const stdio: ['pipe', 'pipe', 'inherit'] = ['pipe', 'pipe', 'inherit'];
  const options = { uid: NOBODY, gid: NOBODY, cwd: '/', env: { PATH: process.env.PATH ?? '' }, stdio };
  const attacker = spawn(process.execPath, [file, address, namespace, taskQueue], options);
  const lines = createInterface({ input: attacker.stdout })[Symbol.asyncIterator]();
  const ask = async (attack: Attack, scene: Scene): Promise<Answer> => {
    attacker.stdin.write(`${JSON.stringify({ name: attack.name, scene })}\n`);
    return JSON.parse((await lines.next()).value ?? '{}') as Answer;
  };
  const found = new Map<string, string>();
  let scene = await victim.scene();
  for (const attack of ATTACKS) {
    const answer = await ask(attack, scene);
    if (answer.uid !== NOBODY) throw new Error(`the attacker runs as ${answer.uid}`);
    const result = await resultOf(attack, answer, victim);
    found.set(attack.name, result);
    say(`${title}: ${attack.name}: ${result}${answer.failed ? ` (${answer.failed.slice(0, 160)})` : ''}`);
    if (answer.letIn) scene = await victim.scene(scene);
  }
  attacker.stdin.end();
  await once(attacker, 'close');
  found.set(OWNER, (await victim.serves(scene)) ? 'works' : 'FAILS');
  return found;
}

async function resultOf(attack: Attack, answer: Answer, victim: Victim): Promise<string> {
  if (!answer.letIn) return 'not let in';
  if (attack.effect === 'server-gone') return (await victim.hasServer()) ? 'refused' : 'THROUGH';
  if (attack.effect === 'lock-gone') return (await victim.isLocked()) ? 'refused' : 'THROUGH';
  return answer.through ? 'THROUGH' : 'refused';
}

const plainEngine = { PROVISIONING_ENGINE: 'path', PATH: [dirname((await temporalCli()).path), process.env.PATH].join(delimiter) };
const homes: [title: string, checkout: string, engine: NodeJS.ProcessEnv][] = [
  [FORMER, await formerCheckout(), plainEngine],
  ['sealed only', root, plainEngine],
  ['own engine', root, {}],
];
const attacker = await bundled();
const columns: Map<string, string>[] = [];
try {
  for (const [title, checkout, engine] of homes) {
    const victim = await Victim.start(checkout, engine);
    try {
      columns.push(await play(title, victim, attacker.file));
    } finally {
      await victim.end();
    }
  }
} finally {
  await attacker.remove();
}
say(`\n| attack | ${homes.map(([title]) => title).join(' | ')} |\n| --- | --- | --- | --- |`);
const rows = [...(columns[0]?.keys() ?? [])].map((name) => [name, ...columns.map((column) => column.get(name) ?? '')]);
for (const row of rows) say(`| ${row.join(' | ')} |`);
const asItMust = (name: string | undefined, [former, ...present]: string[]): boolean =>
  name === OWNER ? ![former, ...present].includes('FAILS') : former === 'THROUGH' && !present.includes('THROUGH');
const wrong = rows.filter(([name, ...results]) => !asItMust(name, results));
say(`\n${rows.length - 1} attacks, ${wrong.length} otherwise than they must`);
process.exitCode = wrong.length > 0 ? 1 : 0;
