import { cancellationSignal } from '@temporalio/activity';
import { inputError } from '../../core/errors.js';
import type { InventoryServer } from '../../core/infra/inventory.js';
import type { Scope } from '../../core/machine/call-context.js';
import type { UnmanagedServer } from '../../core/machine/provider.js';
import type { ImportReport, ImportRequest } from '../../core/operation/drift.js';
import type { Dependencies } from '../dependencies.js';
import { callContexts } from './call-context.js';
import { createInventoryServer } from './found-server.js';
import type { ConnectionOf } from './provider-connections.js';

/** Takes in servers that were made elsewhere. */
export function createImportActivities({
  providers,
  taskQueue: setup,
  connectionOf,
}: Dependencies & { connectionOf: ConnectionOf }) {
  const context = callContexts(setup);

  async function findStranger({ provider, server, infra, name }: ImportRequest): Promise<UnmanagedServer> {
    const refuse = (code: string, why: string, hint?: string) =>
      inputError({ code, what: 'import the server', on: server, why, ...(hint ? { hint } : {}) });
    const { strangers, adopt } = await connectionOf(provider);
    if (!strangers || !adopt) throw refuse('cannot-import', `the provider "${provider}" cannot import servers`);
    const all = await strangers(cancellationSignal());
    const byId = all.filter(({ id }) => id === server);
    const found = byId.length > 0 ? byId : all.filter((one) => one.name === server);
    const [only] = found;
    if (!only) throw refuse('unknown-server', `the account "${provider}" has no server of this id or name`);
    if (found.length > 1)
      throw refuse('which-server', `${found.length} servers have this name: ${found.map(({ id }) => id).join(', ')}`, 'use its id');
    if (only.scope && !(only.scope.infra === infra && only.name === name))
      throw refuse('owned-by-another', `the infra "${only.scope.infra}" of workspace "${only.scope.workspace}" has it`);
    return only;
  }

  return {
    /** Finds a server that was made elsewhere. Refused: `unknown-server`, `which-server`, `owned-by-another`, `cannot-import`. */
    async findImport(request: ImportRequest): Promise<ImportReport> {
      return reportOf(request, await findStranger(request));
    },

    /** Puts our labels on a server; answers it as the inventory has it. */
    async adoptServer({
      request,
      scope,
      network,
      key,
    }: {
      request: ImportRequest;
      scope: Scope;
      network: string;
      key: string;
    }): Promise<InventoryServer> {
      const { provider, name } = request;
      const { id } = await findStranger(request);
      const { adopt } = await connectionOf(provider);
      if (!adopt)
        throw inputError({
          code: 'cannot-import',
          what: 'import the server',
          on: name,
          why: 'the provider does not support imports',
        });
      const found = await adopt(id, name, { ...context(scope), key });
      return createInventoryServer(found, { name, provider, network, since: key.split('/')[0] ?? key }, providers);
    },
  };
}

const reportOf = (
  { infra, name, provider }: ImportRequest,
  { id, plan, image, zone, address, labels }: UnmanagedServer,
): ImportReport => ({
  ...{ infra, name, provider, id, plan, image },
  ...(zone ? { zone } : {}),
  ...(address ? { address } : {}),
  ...(labels && Object.keys(labels).length > 0 ? { labels } : {}),
});
