import { join } from 'node:path';
import { keepMark } from '../../../activities/host/host-mark.js';
import { noteGrant } from '../../../activities/host/journal/host-fence.js';
import { renderAttach, renderRunner } from '../../../activities/host/journal/runner.js';
import { CLEAR_FORMER, CLEAR_SCRIPT, restoreFiles } from '../../../activities/host/journal/sealed-journal.js';
import { createStepScripts } from '../../../activities/host/journal/step-scripts.js';
import { undoItems } from '../../../activities/host/journal/undo-scripts.js';
import { renderLook } from '../../../activities/host/look/look-script.js';
import { claimScript, keepProof } from '../../../activities/host/script/owner.js';
import type { Facts } from '../../../core/host/facts.js';
import { refuseForeignMark } from '../../../core/host/foreign-host.js';
import type { Step } from '../../../core/host/step.js';
import type { DataMove, MoveContext } from '../../../core/taskserv/data-move.js';
import { planOf, stepsOf } from '../../../sdk/testing/case.js';
import { readCases } from '../../../sdk/testing/case-files.js';
import { revealFake } from '../../../sdk/testing/fake-secret.js';
import { modules } from '../modules.js';

const scope = { workspace: 'default', infra: 'shop', uuid: 'u-1' };
/** Returns all shell code for steps: the definition's, and the platform's around it. */
function ofSteps(steps: Step[]): string[] {
  const { items, payloads } = createStepScripts(steps, revealFake);
  const given = payloads.filter(({ name }) => /\.(run|env|secrets|undo|revert)$/.test(name)).map(({ content }) => String(content));
  const files = steps.flatMap((step) => ('file' in step ? [revealFake(step.file.content)] : []));
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

/** All scripts that are sent to a host, with their origin for errors. */
export const hostScripts = new Map<string, string>();
/** Scripts that run under `set -e`: the steps, their undo, and the scripts that steps copy. */
export const stepScripts = new Map<string, string>();
const add = (from: string, texts: readonly string[], to: Map<string, string>[] = [hostScripts]) => {
  for (const kept of to) for (const text of texts) if (!kept.has(text)) kept.set(text, from);
};

add('host', [
  refuseForeignMark(scope),
  keepMark('u-1 default shop'),
  keepProof('cHJvb2Y='),
  claimScript(scope, 'cHJvb2Y='),
  noteGrant('@nonce', { uuid: 'u-1', grant: 7, past: 3 }),
  restoreFiles([{ name: 'former/1.file', content: Buffer.from('text') }] as never),
  CLEAR_FORMER,
  CLEAR_SCRIPT,
]);
for (const [name, taskserv] of Object.entries(modules.taskservs)) {
  for (const [file, given] of readCases(join(import.meta.dirname, '../../../taskservs', name))) {
    const { config, context } = planOf(taskserv, given);
    const steps = stepsOf(taskserv, given);
    const work = { journal: '/j', nonce: '@n', fence: { uuid: 'u-1', grant: 7 } };
    const { items } = createStepScripts(steps, revealFake);
    const facts = Object.values(taskserv.facts(config, context.version) as Facts);
    add(`${name}/${file}`, ofSteps(steps), [hostScripts, stepScripts]);
    add(`${name}/${file}`, [
      ...[...facts, ...(taskserv.identity ? [taskserv.identity] : [])].flatMap((fact) =>
        fact.kind === 'command' ? [fact.run] : [],
      ),
      ...taskserv.health(config, context).flatMap((check) => ('command' in check && check.command ? [check.command] : [])),
    ]);
    if (file === 'install.json' && taskserv.moveData)
      add(`the move of ${name}`, ofMove(taskserv.moveData(config, moveBetween(context.version))), [hostScripts, stepScripts]);
    // These include the others: one of each taskserv is enough.
    if (file === 'install.json')
      add(`${name}/${file} as a whole`, [
        renderRunner({ ...work, items, finish: ':', clear: ':', pauses: 1 }),
        renderAttach({ ...work, items, payloads: [{ name: '0.run', content: 'true' }] }),
        renderLook({ facts, health: taskserv.health(config, context) }, revealFake),
      ]);
  }
}
