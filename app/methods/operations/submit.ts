import * as z from 'zod';
import { checkDefinition, checkRequest } from '../../../core/definition/weight.js';
import { inputError } from '../../../core/errors.js';
import { addressOf } from '../../../core/infra/definition-log.js';
import type { OperationRequest } from '../../../core/operation/operation.js';
import { checkNoPreviewId } from '../../../core/operation-id.js';
import { readBundle } from '../../bundle/bundle-store.js';
import type { Engine } from '../../engine.js';
import { method } from '../../method.js';
import { startOperation } from '../../operation/start.js';
import { askedOperation } from '../../schemas/operation.js';

type Asked = Pick<OperationRequest, 'id' | 'workspace' | 'infra' | 'definition'>;

export const submitOperation = method({
  name: 'operations.submit',
  summary:
    'Start an operation and return immediately. Fails if no worker is running, unless `queue` is set; `queued` then reports that it waits for a worker',
  input: z.strictObject({
    request: askedOperation,
    queue: z.boolean().optional().describe('Wait for a worker if none is running'),
  }),
  output: z.strictObject({ operation: z.string(), queued: z.literal(true).optional() }),
  permission: {
    actions: ['operation:apply', 'operation:delete', 'operation:preview', 'operation:rollback'],
    action: ({ request: { check, intent } }) =>
      check
        ? 'operation:preview'
        : intent.verb === 'delete' || intent.verb === 'rollback'
          ? `operation:${intent.verb}`
          : 'operation:apply',
    resource: ({ request: { workspace, infra, intent, allowDestroy } }) => ({
      type: 'Infra',
      id: `${workspace}/${infra}`,
      ...((intent.verb === 'delete' || (allowDestroy !== undefined && allowDestroy !== false)) && { destroys: true }),
    }),
  },
  errors: ['bad-bundle', 'operation-exists', 'preview-id', 'this-host-not-allowed', 'unknown-bundle'],
  weigh(input) {
    const { request } = (input ?? {}) as { request?: Partial<OperationRequest> };
    const on = String(request?.id ?? '').slice(0, 80);
    checkRequest(request, 'submit the operation', on);
    if (request?.definition !== undefined) checkDefinition(request.definition, 'submit the operation', on);
  },
  async run({ engine, principal }, { request, queue }) {
    if (!request.check) checkNoPreviewId(request.id, 'submit the operation');
    if (request.bundle !== undefined) await checkBundle(engine, request, request.bundle);
    return startOperation(engine, { ...request, actor: principal.actor }, { queue });
  },
});

/** What is recorded as the source of a definition was kept as that, by whoever resolved it: nothing is evaluated here. */
async function checkBundle({ stores }: Engine, { id, workspace, infra, definition }: Asked, address: string): Promise<void> {
  const bundle = await readBundle(stores.blobs, { workspace, infra }, address);
  if (definition && addressOf(definition) === bundle.definition) return;
  const why = 'the bundle belongs to another definition';
  throw inputError({ code: 'bad-bundle', what: 'submit the operation', on: id, why });
}
