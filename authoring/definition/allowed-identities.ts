import { type Problem, pathText } from '../../definition/source/problem.js';
import { isRecord } from '../../definition/source/salvage.js';
import type { Source } from '../../definition/source/source.js';
import { findForbiddenKey } from '../../home/identities.js';
import { readSetting } from '../../settings/settings.js';

/** Returns a problem for each private key that the hosts of a definition name and the user did not allow. */
export async function findForbiddenIdentities(source: Source, env: NodeJS.ProcessEnv): Promise<Problem[]> {
  const list = readSetting<string>(env, 'worker.identities');
  const servers = isRecord(source.value) && Array.isArray(source.value.servers) ? source.value.servers : [];
  const problems = await Promise.all(
    servers.map(async (server, index): Promise<Problem[]> => {
      const identity = isRecord(server) && isRecord(server.host) ? server.host.identity : undefined;
      // The schema rejects names that a program would interpret as options. No setting allows them.
      if (typeof identity !== 'string' || identity.startsWith('-')) return [];
      const forbidden = await findForbiddenKey(identity, list);
      if (forbidden === undefined) return [];
      const { path: there = ['servers', index, 'host', 'identity'], ...place } = source.place(
        ['servers', index, 'host', 'identity'],
        'value',
      );
      return [{ file: source.file, ...place, path: pathText(there), message: forbidden.why, suggestion: forbidden.hint }];
    }),
  );
  return problems.flat();
}
