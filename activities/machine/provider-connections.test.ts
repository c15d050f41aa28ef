import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { inputError } from '../../core/errors.js';
import { type AnyProvider, type CredentialSource, defineProvider, type ProviderConnection } from '../../core/machine/provider.js';
import { demo } from '../../providers/demo/index.js';
import { FileSecretStore } from '../../stores/files/file-secret-store.js';
import { testText } from '../../test/support/private-text.js';
import { providerConnections } from './provider-connections.js';

let folder: string;
let secrets: FileSecretStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'connections-'));
  secrets = new FileSecretStore(join(folder, 'secrets'), {}, testText);
});
afterEach(() => rm(folder, { recursive: true }));

/** An account that says which token it was opened with, and refuses the token `bad`. */
const opened: string[] = [];
const cloud: AnyProvider = defineProvider({
  ...demo,
  name: 'cloud',
  config: z.strictObject({ account: z.string().default('default') }),
  account: ({ account }) => account,
  variables: { CLOUD_TOKEN: 'token' },
  async connect({ account }, outside?: CredentialSource) {
    const suffix = account === 'default' ? '' : `_${account.toUpperCase()}`;
    const token = outside?.env[`CLOUD_TOKEN${suffix}`] ?? (await outside?.secret(`cloud/${account}/token`));
    if (!token) throw inputError({ code: 'no-credentials', what: 'connect', on: 'cloud', why: 'there are none' });
    opened.push(`${account} ${token}`);
    const verbs = await demo.connect(demo.config.parse({ path: join(folder, `${account}.json`) }));
    const owned: ProviderConnection['owned'] = async (asked) => {
      if (token === 'bad') throw inputError({ code: 'credentials', what: 'list', on: 'cloud', why: 'the token is refused' });
      return verbs.owned(asked);
    };
    return { ...verbs, owned };
  },
});

const connections = (env: Record<string, string> = {}) => providerConnections({ providers: { cloud }, secrets, env });
const ASK = { workspace: 'w', setup: 's' };

describe('the connection of an account', () => {
  beforeEach(() => void opened.splice(0));

  it('is opened once, with the credentials of that account', async () => {
    const connect = connections({ CLOUD_TOKEN: 'one', CLOUD_TOKEN_PROD: 'two' });
    const [a, b] = await Promise.all([connect('cloud'), connect('cloud')]);
    expect(a).toBe(b);
    expect(await connect('cloud')).toBe(a);
    expect(await connect('cloud/prod')).not.toBe(a);
    expect(opened).toEqual(['default one', 'prod two']);
  });

  it('is not kept as failed: credentials that come later are found', async () => {
    const connect = connections();
    await expect(connect('cloud')).rejects.toMatchObject({ details: { code: 'no-credentials', blame: 'user' } });
    await secrets.set('cloud/default/token', 'later');
    await connect('cloud');
    expect(opened).toEqual(['default later']);
  });

  it('is opened again when the credentials are others, and those kept win over the older environment', async () => {
    const connect = connections({ CLOUD_TOKEN: 'of-up' });
    await connect('cloud');
    await secrets.set('cloud/default/token', 'newer');
    await Promise.all([connect('cloud'), connect('cloud')]);
    await secrets.set('cloud/default/token', 'newest');
    await connect('cloud');
    await secrets.delete('cloud/default/token');
    await connect('cloud');
    expect(opened).toEqual(['default of-up', 'default newer', 'default newest', 'default of-up']);
  });

  it('is opened again after its credentials were refused', async () => {
    const connect = connections({ CLOUD_TOKEN: 'bad' });
    const refused = (await connect('cloud')).owned(ASK);
    await expect(refused).rejects.toMatchObject({ details: { code: 'credentials' } });
    await connect('cloud');
    expect(opened).toEqual(['default bad', 'default bad']);
  });

  it('of a provider that is not there is refused', async () => {
    await expect(connections()('toString/x')).rejects.toMatchObject({ details: { code: 'unknown-provider', blame: 'user' } });
  });
});
