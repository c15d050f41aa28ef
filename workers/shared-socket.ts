import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { Dispatcher } from '../app/dispatcher.js';
import { createGroupMember, type Principal } from '../app/principal.js';
import { inputError } from '../core/errors.js';
import { readSetting } from '../settings/settings.js';
import { type Gateway, serveGateway } from './gateway.js';

/**
 * Serves the second socket of the setting `worker.socket` to the group of its folder; undefined without this setting.
 * The system does not say which member calls, so records name the group, `gid-1002@host`.
 *
 * @param methodsFor the methods for a principal
 * @throws inputError `folder-not-private`, `bad-settings`
 */
export async function serveShared(
  env: NodeJS.ProcessEnv,
  methodsFor: (principal: Principal) => Dispatcher,
): Promise<Gateway | undefined> {
  const path = readSetting<string>(env, 'worker.socket');
  if (path === undefined) return undefined;
  const folder = await stat(dirname(path)).catch(() => undefined);
  if (!folder?.isDirectory())
    throw inputError({
      code: 'bad-settings',
      what: 'open the second socket of the worker',
      on: path,
      why: 'its folder does not exist',
      hint: `create it for a group: install -d -m 0750 -g GROUP ${dirname(path)}`,
    });
  return serveGateway(path, methodsFor(createGroupMember(`gid-${folder.gid}@${hostname()}`)), { isShared: true });
}
