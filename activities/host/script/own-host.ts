import { foreignHost, refuseForeignMark } from '../../../core/host/foreign-host.js';
import type { Transport } from '../transport.js';
import type { ScriptedHost } from './scripted-host.js';

/**
 * The same way to a host, on which every script first reads the mark: one that is for a host of another infra ends there,
 * before anything else of it runs.
 *
 * @throws `host-managed-by-another`, from `exec`
 */
export const bindToOwnHost = <T extends Transport>(transport: T, host: Pick<ScriptedHost, 'scope' | 'server'>): T => ({
  ...transport,
  async exec(script, options) {
    const result = await transport.exec(`${refuseForeignMark(host.scope)}\n${script}`, options);
    const foreign = foreignHost(host.server, result);
    if (foreign) throw foreign;
    return result;
  },
});
