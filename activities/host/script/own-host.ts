import { foreignHost, refuseForeignMark } from '../../../core/host/foreign-host.js';
import type { Transport } from '../transport.js';
import type { ScriptedHost } from './scripted-host.js';

/**
 * Wraps a transport so that every script reads the mark first. On a host of another infra it ends there, before
 * anything else runs.
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
