import { ProvisioningError } from '../../../core/errors.js';
import type { HostMark } from '../../../core/recovery/host-record.js';
import { FOREIGN, FOREIGN_SAID, markIn, refuseForeignMark } from '../host-mark.js';
import { HOST_STATE } from '../paths.js';
import type { Transport } from '../transport.js';
import type { ScriptedHost } from './script-host.js';

/**
 * The same way to a host, on which every script first reads the mark: one that is for a host of another infra ends there,
 * before anything else of it runs.
 *
 * @throws `host-managed-by-another`, from `exec`
 */
export const onOwnHost = <T extends Transport>(transport: T, host: Pick<ScriptedHost, 'scope' | 'server'>): T => ({
  ...transport,
  async exec(script, options) {
    const result = await transport.exec(`${refuseForeignMark(host.scope)}\n${script}`, options);
    const said = result.exit === FOREIGN ? new RegExp(`^${FOREIGN_SAID} (.*)$`, 'm').exec(result.stderr) : null;
    if (said) throw foreign(host.server, markIn(said[1] ?? ''));
    return result;
  },
});

const foreign = (server: string, { uuid, workspace, infra }: Omit<HostMark, 'proven'>) =>
  new ProvisioningError({
    code: 'host-managed-by-another',
    blame: 'user',
    what: 'use the host',
    on: server,
    why: `infra "${infra}" of workspace "${workspace}" (${uuid}) manages it`,
    hint: `provisioning delete ${infra}, or take the host out of its definition, first; if that infra is gone for good, remove ${HOST_STATE}/owner on the host`,
  });
