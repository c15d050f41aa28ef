/**
 * `npm run attacks`: attacks Provisioning through Temporal as an unprivileged user of the machine. The targets are the
 * last commit before messages were sealed, and this one. This commit runs with a plain `temporal` ("sealed only"),
 * with its own engine, and as a team, with and without a colleague's certificate.
 *
 * Every attack must succeed on the former commit and fail on this one. The owner's commands must work in all set-ups.
 * Further attacks use Temporal's own means on a running operation of an engine that accepts every client. Others use
 * archives of an application, hosts that build an application, and definitions and repositories of strangers. Needs
 * root, to become `nobody`. Arguments select set-ups.
 */
import { attackByArtifacts } from './artifacts.js';
import { attackByBuildingHosts } from './building-hosts.js';
import { measureDamage } from './damage.js';
import { attackByDefinitions } from './definitions.js';
import { SET_UPS } from './homes.js';
import { OWNER, play, type Result } from './play.js';
import { registryOf } from './registry.js';
import { bundled, Stranger } from './stranger.js';
import { summary, wrongIn } from './tables.js';
import { Victim } from './victim.js';
import { attackByWorkspaces } from './workspaces.js';

/** Attacks that need no engine, by their argument. */
const INPUTS = {
  artifacts: attackByArtifacts,
  'building-hosts': attackByBuildingHosts,
  definitions: attackByDefinitions,
  workspaces: attackByWorkspaces,
};

const say = (text: string) => process.stdout.write(`${text}\n`);
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !['damage', ...Object.keys(INPUTS), ...Object.keys(SET_UPS)].includes(name));
if (unknown.length > 0)
  throw new Error(
    `no such set-up: ${unknown.join(', ')}; there are ${[...Object.keys(SET_UPS), 'damage', ...Object.keys(INPUTS)].join(', ')}`,
  );
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
const started = Date.now();
const attacker = await bundled();
const columns: { title: string; former?: boolean; found: Map<string, Result> }[] = [];
let damage: string[] = [];
let faults = 0;
try {
  for (const [name, prepare] of Object.entries(SET_UPS)) {
    if (!isWanted(name)) continue;
    const { checkout, settings, former, attackers, end } = await prepare();
    try {
      const victim = await Victim.start(checkout, settings);
      try {
        const registry = await registryOf(checkout);
        const { address, namespace, taskQueue } = await victim.engine();
        for (const [title, taken] of Object.entries(attackers)) {
          const stranger = Stranger.start(attacker.file, { address, namespace, taskQueue, taken });
          const before = Date.now();
          const found = await play({ title, victim, stranger, registry, former }, say);
          await stranger.end();
          columns.push({ title, former, found });
          say(`${title}: ${found.size - 1} attacks in ${Math.round((Date.now() - before) / 1000)} s`);
        }
      } finally {
        await victim.end();
      }
    } finally {
      await end();
    }
  }
  if (isWanted('damage')) {
    const measured = await measureDamage(attacker.file, say);
    damage = measured.table;
    faults = measured.faults;
  }
  for (const [name, attack] of Object.entries(INPUTS)) if (isWanted(name)) faults += await attack(say);
} finally {
  await attacker.remove();
}
const wrong = columns.flatMap(wrongIn);
for (const line of [...summary(columns), '', ...damage, '']) say(line);
for (const line of wrong) say(`otherwise than it must: ${line}`);
const attacks = columns.reduce((sum, { found }) => sum + found.size - (found.has(OWNER) ? 1 : 0), 0);
say(
  `${attacks} attacks, ${wrong.length} otherwise than they must, ${faults} damage that must not be; ${Math.round((Date.now() - started) / 1000)} s`,
);
process.exit(wrong.length + faults > 0 ? 1 : 0);
