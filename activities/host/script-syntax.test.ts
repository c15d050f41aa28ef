import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Facts } from '../../core/host/facts.js';
import { refuseForeignMark } from '../../core/host/foreign-host.js';
import type { Step } from '../../core/host/step.js';
import type { DataMove, MoveContext } from '../../core/taskserv/data-move.js';
import { reveal, type Text } from '../../core/taskserv/secret.js';
import { planOf, stepsOf } from '../../sdk/testing/case.js';
import { readCases } from '../../sdk/testing/case-files.js';
import { modules } from '../../test/support/modules.js';
import { keepMark } from './host-mark.js';
import { noteGrant } from './journal/host-fence.js';
import { renderAttach, renderRunner } from './journal/runner.js';
import { CLEAR_FORMER, CLEAR_OPENED, restoreFiles } from './journal/sealed-journal.js';
import { scriptsOf } from './journal/step-scripts.js';
import { undoItems } from './journal/undo-scripts.js';
import { renderLook } from './look/look-script.js';
import { claimScript, keepProof } from './script/owner.js';

const folder = mkdtempSync(join(tmpdir(), 'script-syntax-'));
afterAll(() => rmSync(folder, { recursive: true }));

const scope = { workspace: 'default', infra: 'shop', uuid: 'u-1' };
const revealed = (value: Text) => reveal(value, (name) => `value of ${name}`);

/** All that shells get to read for steps: those of the definition, and those of the platform around them. */
function ofSteps(steps: Step[]): string[] {
  const { items, payloads } = scriptsOf(steps, revealed);
  const given = payloads.filter(({ name }) => /\.(run|env|secrets|undo|revert)$/.test(name)).map(({ content }) => String(content));
  const files = steps.flatMap((step) => ('file' in step ? [revealed(step.file.content)] : []));
  return [
    ...given,
    ...files.filter((text) => /^#!.*\b(ba)?sh\b/.test(text)),
    ...[...items, ...undoItems(steps)].map(({ body }) => body),
  ];
}

const moveBetween = (version: string): MoveContext => ({
  ...{ operation: 'op-1', from: 'a', to: 'b', note: '/n', version },
  former: { version, config: {} },
});

const ofMove = ({ parts, written }: DataMove): string[] => [
  written,
  ...parts.flatMap((part) => ('run' in part ? [part.run, part.undo ?? ':'] : [part.read, part.write, part.asks])),
];

/** By where they come from, so that an error says it. */
const scripts = new Map<string, string>();
const add = (from: string, texts: readonly string[]) => {
  for (const text of texts) if (!scripts.has(text)) scripts.set(text, from);
};

add('host', [
  refuseForeignMark(scope),
  keepMark('u-1 default shop'),
  keepProof('cHJvb2Y='),
  claimScript(scope, 'cHJvb2Y='),
  noteGrant('@nonce', { uuid: 'u-1', grant: 7, past: 3 }),
  restoreFiles([{ name: 'former/1.file', content: Buffer.from('text') }] as never),
  CLEAR_FORMER,
  CLEAR_OPENED,
]);
for (const [name, taskserv] of Object.entries(modules.taskservs)) {
  for (const [file, given] of readCases(join(import.meta.dirname, '../../taskservs', name))) {
    const { config, context } = planOf(taskserv, given);
    const steps = stepsOf(taskserv, given);
    const work = { journal: '/j', nonce: '@n', fence: { uuid: 'u-1', grant: 7 } };
    const { items } = scriptsOf(steps, revealed);
    const facts = Object.values(taskserv.facts(config, context.version) as Facts);
    add(`${name}/${file}`, [
      ...ofSteps(steps),
      ...[...facts, ...(taskserv.identity ? [taskserv.identity] : [])].flatMap((fact) =>
        fact.kind === 'command' ? [fact.run] : [],
      ),
      ...taskserv.health(config, context).flatMap((check) => ('command' in check && check.command ? [check.command] : [])),
    ]);
    if (file === 'install.json' && taskserv.moveData)
      add(`the move of ${name}`, ofMove(taskserv.moveData(config, moveBetween(context.version))));
    // These hold the others: one of each taskserv says enough.
    if (file === 'install.json')
      add(`${name}/${file} as a whole`, [
        renderRunner({ ...work, items, finish: ':', clear: ':', pauses: 1 }),
        renderAttach({ ...work, items, payloads: [{ name: '0.run', content: 'true' }] }),
        renderLook({ facts, health: taskserv.health(config, context) }, revealed),
      ]);
  }
}

/** Within two kinds of braces: a script that is whole by itself is so there too, and one that closes both is found. */
const within = (script: string, index: number): string => `script_${index}() {\nif :; then\n:\n${script}\nfi\n}\n`;

const faultOf = (script: string): string => spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' }).stderr;

/** Looks for those at fault only if there are any: a process for each would take a minute. */
function atFault(all: readonly string[]): string[] {
  const path = join(folder, 'all.sh');
  writeFileSync(path, all.map(within).join(''));
  if (spawnSync('bash', ['-n', path], { encoding: 'utf8' }).stderr === '') return [];
  if (all.length === 1) return [all[0] as string];
  const half = Math.ceil(all.length / 2);
  return [...atFault(all.slice(0, half)), ...atFault(all.slice(half))];
}

test('bash reads every script that goes to a host', () => {
  const all = [...scripts.keys()];
  expect(all.length).toBeGreaterThan(1_500);
  expect(atFault(all).map((script) => `${scripts.get(script)}: ${faultOf(script)}\n${script}`)).toEqual([]);
  expect(
    execFileSync('bash', ['--norc', '-c', `set -e; . ${join(folder, 'all.sh')}; declare -F | wc -l`], { encoding: 'utf8' }).trim(),
  ).toBe(`${all.length}`);
});

test.each([
  'if true; then echo',
  'echo "open',
  '}',
  'fi\n}\nbroken() {\nif :; then',
  "cat <<'END'\ntext\n  END",
  'for one in; do done',
])('and finds one that it could not: %j', (script) => expect(atFault(['true', script, 'echo well'])).toEqual([script]));
