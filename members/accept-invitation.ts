import { existsSync } from 'node:fs';
import type { Context } from '../authoring/context.js';
import { inputError } from '../core/errors.js';
import { adoptKeys } from '../encryption/adopt-keys.js';
import { createKeyFile } from '../encryption/keys.js';
import { localKeyPath } from '../encryption/kms/local-keys.js';
import { replaceFile } from '../home/durable.js';
import { makePrivate } from '../home/private-folder.js';
import { layerFiles, lockLayer, textIn, writeLayer } from '../settings/edit/change-layer.js';
import { editValue } from '../settings/edit/edit-text.js';
import { writeWhole } from '../settings/edit/write-file.js';
import { resolveEnvironment, settingsFile } from '../settings/settings.js';
import { allOrNothing } from './all-or-nothing.js';
import { keysOf, refuseOtherHome, storeUrl } from './home-of-team.js';
import type { Invitation } from './invitation.js';
import { teamFilesOf, temporalConfigFile } from './team-files.js';
import { addProfile, profileTree } from './temporal-profile.js';

/** Changes that accepting an invitation will make. Contains no secrets. */
export interface AcceptPlan {
  member: string;
  temporal: { address: string; namespace: string; serverName?: string };
  /** Without a password. */
  store: string;
  profile: string;
  settings: Record<string, string>;
  keys: { by: 'copy' | 'service'; kms?: string; address?: string; ids: string[] };
  files: string[];
}

/**
 * Checks whether an invitation can be accepted here, and changes nothing.
 *
 * @param profile the name in Temporal's configuration file
 * @throws inputError `member-home` if the home belongs to another team or person; `member-temporal`
 */
export async function planAcceptance(
  { home, env }: Context,
  invitation: Invitation,
  profile: string,
): Promise<{ plan: AcceptPlan; accept: () => Promise<void> }> {
  const files = teamFilesOf(home);
  const { member, temporal, store, encryption } = invitation;
  const url = storeUrl(invitation, files.storeCa);
  const settled = await resolveEnvironment(home, env);
  await refuseOtherHome(home, { env, settled, url, profile }, invitation);
  const config = temporalConfigFile(env);
  const profileText = await addProfile(config, profile, profileTree(temporal, files), files);
  const { keys, setUp } = encryption;
  const contents = contentsOf(invitation, files);
  const settings = {
    'engine.profile': profile,
    'store.url': url,
    'store.passwordFile': files.storePassword,
    ...serviceSettings(keys, files.kmsCa),
  };
  const settingsAt = settingsFile(home);
  if (settingsAt.endsWith('settings.yaml')) throw former(settingsAt);
  const keyFile = createKeyFile({ folder: home.encryption, env: settled }).path;
  const accept = () =>
    allOrNothing([...contents.keys(), keyFile, localKeyPath({ setUp, env: settled }), config, settingsAt], async () => {
      await makePrivate(files.folder, 'accept the invitation');
      for (const [path, text] of contents) await replaceFile(path, text);
      await adoptKeys(keyFile, keysOf(encryption), { setUp, env: settled });
      await writeWhole(config, profileText, 0o600, { links: true });
      // Last: without settings nothing uses the files of a killed command, and the next command writes them again.
      await writeSettings({ home, env }, settings);
    });
  const plan: AcceptPlan = {
    member,
    temporal: {
      address: temporal.address,
      namespace: temporal.namespace,
      ...(temporal.serverName && { serverName: temporal.serverName }),
    },
    store: `postgres://${member}@${store.host}:${store.port}`,
    profile,
    settings,
    keys: {
      by: keys.by,
      ...(keys.by === 'service' && { kms: keys.kms, ...(keys.kmsAddress && { address: keys.kmsAddress }) }),
      ids: keys.keys.map(({ id }) => id),
    },
    files: [...contents.keys(), keyFile, config, settingsAt],
  };
  return { plan, accept };
}

/** Returns the files of the folder `team`, with their contents. */
function contentsOf(
  { temporal: { tls }, store, encryption: { keys } }: Invitation,
  files: ReturnType<typeof teamFilesOf>,
): Map<string, string> {
  const kmsCa = keys.by === 'service' ? keys.kmsCa : undefined;
  const all: [string, string | undefined][] = [
    [files.ca, tls?.ca],
    [files.certificate, tls?.certificate],
    [files.key, tls?.key],
    [files.storeCa, store.ca],
    [files.kmsCa, kmsCa],
    [files.storePassword, `${store.password}\n`],
  ];
  return new Map(all.filter((one): one is [string, string] => one[1] !== undefined));
}

function serviceSettings(keys: Invitation['encryption']['keys'], caFile: string): Record<string, string> {
  if (keys.by === 'copy') return {};
  const { kms, kmsKey, kmsAddress, kmsCa } = keys;
  return {
    'encryption.kms': kms,
    'encryption.kmsKey': kmsKey,
    ...(kmsAddress && { 'encryption.kmsAddress': kmsAddress }),
    ...(kmsCa && { 'encryption.kmsCa': caFile }),
  };
}

async function writeSettings(place: Pick<Context, 'home' | 'env'>, settings: Record<string, string>): Promise<void> {
  const layer = layerFiles(place, 'user');
  const file = settingsFile(place.home);
  await lockLayer(layer, async () => {
    let text = existsSync(file) ? await textIn(file) : '';
    for (const [name, value] of Object.entries(settings)) text = await editValue(file, text, name.split('.'), value);
    await writeLayer(layer, file, text);
  });
}

const former = (on: string) =>
  inputError({
    code: 'settings-former',
    what: 'accept the invitation',
    on,
    why: 'the home has a settings file of a former version',
    hint: 'provisioning config migrate converts it to config.yaml',
  });
