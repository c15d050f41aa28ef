import * as z from 'zod';
import { checkDefinition } from '../../../core/definition/weight.js';
import { previewIdOf } from '../../../core/operation-id.js';
import { checkMayRead } from '../../infra/check-may-read.js';
import { method } from '../../method.js';
import { SUBMIT_ERRORS, submitAsked } from '../../operation/asked.js';
import { infra } from '../../schemas/ids.js';
import { appliedOperation, definition } from '../../schemas/operation.js';
import { chooseUpgrade } from '../../versions/upgrade.js';

const text = z.string();
const serverName = text.min(1).max(255);

export const upgradeTaskserv = method({
  name: 'taskservs.upgrade',
  summary:
    'Check the hosts of an infra, choose the version of a taskserv, and return the request that `plans.preview` and `plans.apply` take. With `preview` the preview of this request starts, and `plans.result` returns its plan. Changes no host and no file',
  input: z.strictObject({
    ...infra,
    taskserv: text.min(1).max(255).describe('Name of an installed taskserv'),
    servers: z.array(serverName).min(1).optional().describe('Only these servers; default: all that have the taskserv'),
    to: text.min(1).max(100).optional().describe('Supported version, or a constraint; default: see `within`'),
    within: z
      .enum(['major', 'minor', 'patch'])
      .optional()
      .describe(
        'Without `to`: the newest version that differs at most in this number; default: the current version, with its newest Debian package',
      ),
    definition: definition.optional().describe('Definition to change; default: the last applied one'),
    withinMs: z.int().min(1).max(600_000).describe('Milliseconds to wait for each host'),
    preview: z.literal(true).optional().describe('Start the preview of the request'),
  }),
  output: z.strictObject({
    request: appliedOperation.describe('Request of the upgrade, with its own id and the changed definition'),
    operation: text.optional().describe('The preview, with `preview`'),
    version: text.optional().describe('The chosen version; absent without `to` and `within`, and if no version fits'),
    services: z
      .array(
        z.strictObject({
          server: text,
          from: text.describe('Version that its host runs'),
          to: text.optional().describe('Version that it gets, or the version of its package; absent if it is up to date'),
        }),
      )
      .describe('Installed services that were looked at'),
  }),
  permission: { action: 'operation:preview', resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }) },
  errors: [
    ...SUBMIT_ERRORS.filter((code) => code !== 'preview-id'),
    ...(['forbidden', 'host-unreachable', 'no-definition', 'not-installed', 'unknown-infra', 'unknown-server'] as const),
    ...(['version-not-in-archive', 'version-older', 'version-skipped', 'version-unsupported', 'version-withdrawn'] as const),
  ],
  weigh(input) {
    const { infra: on = '', definition: asked } = (input ?? {}) as { infra?: unknown; definition?: unknown };
    if (asked !== undefined) checkDefinition(asked as never, 'upgrade the taskserv', String(on).slice(0, 80));
  },
  async run(call, { preview, ...wish }) {
    // The answer has the definition.
    await checkMayRead(call, wish, 'upgrade the taskserv');
    const upgrade = await chooseUpgrade(call, wish);
    if (!preview) return upgrade;
    const { request } = upgrade;
    const { operation } = await submitAsked(call, { ...request, id: previewIdOf(request), check: true });
    return { ...upgrade, operation };
  },
});
