import * as z from 'zod';
import { previewIdOf } from '../../../core/operation-id.js';
import { prepareRollback } from '../../application/prepare-rollback.js';
import { checkMayRead } from '../../infra/check-may-read.js';
import { method } from '../../method.js';
import { SUBMIT_ERRORS, submitAsked } from '../../operation/asked.js';
import { applicationPlace, applicationResource } from '../../schemas/application.js';
import { appliedOperation } from '../../schemas/operation.js';

const text = z.string();

export const rollBackApplication = method({
  name: 'applications.rollback',
  summary:
    'Check the servers of an application, choose an earlier release, and return the request that `plans.preview` and `plans.apply` take. With `preview` the preview of this request starts, and `plans.result` returns its plan. Changes no host',
  input: z.strictObject({
    ...applicationPlace,
    to: text
      .min(1)
      .max(255)
      .optional()
      .describe('Release, or the beginning of its name; default: the release before the running one'),
    preview: z.literal(true).optional().describe('Start the preview of the request'),
  }),
  output: z.strictObject({
    request: appliedOperation.describe(
      "Request of the rollback, with its own id and the current definition with the application's entry of the release",
    ),
    operation: text.optional().describe('The preview, with `preview`'),
    release: text.describe('The chosen release'),
    missing: z.array(text).describe('Servers that never had the release. They get it from its stored source'),
  }),
  permission: { action: 'operation:preview', resource: applicationResource },
  errors: [
    ...SUBMIT_ERRORS.filter((code) => code !== 'preview-id'),
    ...(['app-not-asked', 'forbidden', 'host-managed-by-another', 'release-not-kept', 'ssh-key-not-allowed'] as const),
    ...(['unknown-app', 'unknown-infra', 'unknown-process', 'unknown-release'] as const),
  ],
  async run(call, { preview, ...wish }) {
    // The answer has the definition.
    await checkMayRead(call, wish, 'roll the application back');
    const rollback = await prepareRollback(call.engine, wish);
    if (!preview) return rollback;
    const { request } = rollback;
    const { operation } = await submitAsked(call, { ...request, id: previewIdOf(request), check: true });
    return { ...rollback, operation };
  },
});
