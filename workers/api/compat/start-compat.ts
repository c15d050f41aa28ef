import { randomBytes } from 'node:crypto';
import { mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCompat } from '../../../api/compat/create-compat.js';
import { resolveBeneath } from '../../../api/compat/resolve-beneath.js';
import { type Api, type ApiOptions, createApi } from '../../../api/create-api.js';
import type { ListenAddress } from '../../../api/listen/listen-address.js';
import { type ApiServer, serveApi } from '../../../api/listen/serve-api.js';
import { actAsAccount } from '../../../app/access/act-as-account.js';
import { EVERYWHERE } from '../../../app/access/roles.js';
import { accountScope } from '../../../app/access/service-accounts.js';
import { inputError } from '../../../core/errors.js';
import { keepContext, keepToken, useContext } from '../../../home/contexts/contexts.js';
import { homeOf } from '../../../home/home.js';
import type { Stores } from '../../../stores/stores.js';
import { createRunner } from './run-command.js';

/** Options of `serve --compat`. */
export interface CompatSettings {
  address: ListenAddress;
  /** The service account that everything is done as, `default/ci`. */
  account: string;
  /** The folder whose definitions requests may name. */
  root: string;
}

const CONTEXT = 'compat';

/**
 * Serves the orchestrator's API on loopback. Commands that it runs call the platform through a second server on
 * loopback. They use a token that only they have, and that stands for the account.
 *
 * @throws inputError `bad-arguments`, `unknown-service-account`, `port-in-use`
 */
export async function startCompat(
  { address, account, root: asked }: CompatSettings,
  api: Omit<ApiOptions, 'principalOf' | 'redeem' | 'hostNames' | 'pages'>,
  { stores, program }: { stores: Pick<Stores, 'rows'>; program: string },
): Promise<ApiServer> {
  const workspace = accountScope(account);
  if (workspace === EVERYWHERE)
    throw refuse('--compat-as', `the account "${account}" belongs to no workspace`, 'use an account such as default/ci');
  const root = await realpath(asked).catch(() => undefined);
  if (root === undefined || !(await stat(root)).isDirectory())
    throw refuse('--compat-root', 'it is not a folder of this machine', 'name the folder with the definitions');
  const principal = await actAsAccount(stores, account);
  const token = randomBytes(32).toString('hex');
  const inner = createApi({ ...api, principalOf: async (bearer) => (bearer === token ? principal : undefined) });
  const log = api.log ?? (() => {});
  const platform = await serveApi(inner, { address: { host: '127.0.0.1', port: 0 }, log });
  const place = await mkdtemp(join(tmpdir(), 'provisioning-compat-'));
  const close = async () => {
    await platform.close();
    await rm(place, { recursive: true, force: true });
  };
  try {
    const home = homeOf({ PROVISIONING_HOME: place });
    keepContext(home, CONTEXT, { server: platform.origin, workspace });
    keepToken(home, CONTEXT, token);
    useContext(home, CONTEXT);
    const compat: Api = createCompat({
      dispatcher: api.dispatcherFor(principal),
      workspace,
      run: createRunner({ program, cwd: root, home: place, workspace }),
      resolve: (path) => resolveBeneath(root, path),
      log,
    });
    const server = await serveApi(compat, { address, log });
    return {
      origin: server.origin,
      async close() {
        await server.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const refuse = (on: string, why: string, hint: string) =>
  inputError({ code: 'bad-arguments', what: 'start the compatible API', on, why, hint });
