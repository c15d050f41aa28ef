import { join } from 'node:path';
import { chooseContext } from '../../client/http/connection.js';
import { quote } from '../../core/host/shell.js';
import { packageRoot } from '../../definition/source/package-root.js';
import type { Session } from '../program/session.js';
import { CONNECT } from './connect-name.js';

/**
 * A script that joins its input and output with the SSH port of a server, its one argument, through the server of the active
 * context. It has no token: the command that it runs reads the context again. Undefined if commands ask this machine's engine,
 * which is on the network of the hosts.
 */
export function createConnector(
  { home, env }: Pick<Session, 'home' | 'env'>,
  { workspace, infra }: { workspace: string; infra: string },
  program: readonly string[] = [process.execPath, join(packageRoot(), 'bin/provisioning.js')],
): string | undefined {
  const chosen = chooseContext({ home, env });
  if (!chosen) return undefined;
  const { PROVISIONING_SERVER_CA: ca } = env;
  const variables = {
    PROVISIONING_HOME: home.root,
    ...(chosen.name === undefined
      ? { PROVISIONING_SERVER: chosen.url, ...(ca && { PROVISIONING_SERVER_CA: ca }) }
      : { PROVISIONING_CONTEXT: chosen.name }),
  };
  const given = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return `exec env ${[...given, ...program, CONNECT, workspace, infra].map(quote).join(' ')} "$1"\n`;
}
