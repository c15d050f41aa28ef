import { batchFrom, keepBatchSecrets } from '../../../authoring/batch/batch-file.js';
import { keepModules } from '../../../authoring/bundle/keep-bundle.js';
import { readContextSetting } from '../../../authoring/settings/config-place.js';
import { inputError } from '../../../core/errors.js';
import { MOST_PARALLEL } from '../../../core/operation/batch.js';
import { operationId } from '../../../core/operation-id.js';
import type { BatchPlan } from '../../../definition/batch/load-batch.js';
import { DEFINITION_INPUT, defineCommand } from '../../command.js';
import { previewBatch, writePreview } from '../../render/batch-preview.js';
import { writeDocument } from '../../render/document.js';
import { reportDeclined } from '../../shared/declined.js';
import { followBatch } from '../../shared/follow-batch.js';
import { needsYes } from '../../shared/needs-yes.js';

export const command = defineCommand({
  arguments: [['<file>', 'batch file (.yaml, .yml, .json, .toml, .ts, .k, .ncl)']],
  options: [
    { flags: '--check', about: 'show the stages and their changes, and stop' },
    { flags: '--yes', about: 'skip the confirmation' },
    {
      flags: '--parallel <count>',
      about: 'maximum number of parallel operations (default: the value of the file, otherwise 20)',
      number: true,
    },
    {
      flags: '--priority <number>',
      about: 'priority from 1 (highest) to 5 (default: the value of the file, otherwise 3)',
      choices: [1, 2, 3, 4, 5],
    },
    {
      flags: '--on-failure <policy>',
      about: 'policy after a failure (default: the policy of the file, otherwise rollback)',
      choices: ['rollback', 'rollback-branch', 'keep', 'ask'],
    },
    {
      flags: '--on-timeout <policy>',
      about: 'policy after a time-out (default: the policy of the file, otherwise ask)',
      choices: ['ask', 'keep', 'rollback'],
    },
    { flags: '--no-wait', about: 'return as soon as the batch has started' },
    ...DEFINITION_INPUT,
  ],
  details:
    'A batch can contain operations of any kind and infra. For the format see `provisioning schema --batch` and docs/use/batches.md.',
  examples: ['batch submit fleet.yaml --check', 'batch submit fleet.yaml --yes', 'b submit fleet.yaml --yes --parallel 50 --json'],
  async run(session, { args: [file = ''], flags }) {
    if ((flags.parallel ?? 0) > MOST_PARALLEL) {
      const why = `${flags.parallel} parallel operations exceed the limit of ${MOST_PARALLEL}`;
      throw inputError({ code: 'bad-arguments', what: 'read the command line', on: '--parallel', why });
    }
    const { plan: loaded, reads } = await batchFrom(session, file, flags);
    const parallel = flags.parallel ?? (await readContextSetting(session, 'batch.parallel'));
    const onFailure = flags.onFailure ?? (await readContextSetting<BatchPlan['onFailure']>(session, 'batch.onFailure'));
    const plan: BatchPlan = {
      ...loaded,
      ...(parallel && { parallel }),
      ...(flags.priority && { priority: flags.priority }),
      ...(onFailure && { onFailure }),
      ...(flags.onTimeout && { onTimeout: flags.onTimeout }),
    };
    if (flags.check) {
      if (session.json) writeDocument(session, previewBatch(plan));
      else writePreview(session.out, plan);
      return 0;
    }
    if (!flags.yes) {
      needsYes(session, 'submit the batch', file, '--check to only look');
      writePreview(session.out, plan);
      if (!(await session.confirm(`Run these ${plan.operations.length} operations?`))) return reportDeclined(session);
    }
    const kept = await keepBatchSecrets(session, { plan, reads });
    const id = operationId('batch', 'of', plan.name).replace(/^batch-of-/, 'batch-');
    const { workspace, actor } = session;
    const client = await session.client();
    for (const definition of Object.values(kept.definitions)) await keepModules(client, definition, session.note);
    const { batch } = await client.batches.submit({ ...kept, id, workspace, actor });
    if (flags.wait !== false) {
      session.begun({ batch });
      return followBatch(session, batch);
    }
    if (session.json) writeDocument(session, { batch, status: 'running', operations: plan.operations.length });
    else session.out.write(`started: ${batch}\nfollow it: provisioning batch follow ${batch}\n`);
    return 0;
  },
});
