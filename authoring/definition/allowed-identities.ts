import { type Problem, pathText } from '../../definition/source/problem.js';
import { isRecord } from '../../definition/source/salvage.js';
import type { Source } from '../../definition/source/source.js';
import { findForbiddenKey } from '../../home/identities.js';
import { readSetting } from '../../settings/settings.js';

/** What is wrong with the private keys that the hosts of a definition name: those that the user did not allow. */
export async function findForbiddenIdentities(source: Source, env: NodeJS.ProcessEnv): Promise<Problem[]> {
  const list = readSetting<string>(env, 'worker.identities');
  const servers = isRecord(source.value) && Array.isArray(source.value.servers) ? source.value.servers : [];
  const problems = await Promise.all(
    servers.map(async (server, index): Promise<Problem[]> => {
      const identity = isRecord(server) && isRecord(server.host) ? server.host.identity : undefined;
      // One that a program would take for an option is refused as that, by the schema: no setting allows it.
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
