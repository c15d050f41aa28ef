import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ensureKey } from '../../encryption/keys.js';
import { type Home, homeOf } from '../../home/home.js';
import type { Tree, Value } from '../../settings/layers/values.js';
import { resolveEnvironment } from '../../settings/settings.js';
import { ensureEngineIdentity } from '../../workers/engine/identity.js';
import { makeFolder } from '../support/temporary-folder.js';

/** Context in which a setting has a value. */
export interface Place {
  home: Home;
  /** The resolved environment of an engine and a worker there. */
  env: NodeJS.ProcessEnv;
  value: Value;
  /** Writes a file of the home, and returns its path. */
  put(name: string, text: string): Promise<string>;
}

/** Effect of a key: two values, the expected observation for each, and how to observe it. */
export interface Effect {
  values: readonly [Value, Value] | (() => Promise<readonly [Value, Value]>);
  /** Observation with each value, or the value itself. */
  sees: readonly [unknown, unknown] | 'itself';
  observe(place: Place): unknown;
}

export type Effects = Readonly<Record<string, Effect>>;

/** Creates the encryption key of a home's set-up. */
export const withKey = async ({ home }: Pick<Place, 'home'>): Promise<void> =>
  ensureKey({ folder: home.encryption, env: { HOME: home.root }, setUp: async () => (await ensureEngineIdentity(home)).id });

const nested = (name: string, value: Value): Tree =>
  name
    .split('.')
    .reverse()
    .reduce<Value>((inside, key) => ({ [key]: inside }), value) as Tree;

/** Creates a home with this value of a key in its settings. */
export async function placeWith(name: string, value: Value): Promise<Place> {
  const root = await makeFolder('effect');
  const put = async (file: string, text: string) => {
    const path = join(root, file);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, text);
    return path;
  };
  await put('config.json', JSON.stringify(nested(name, value)));
  const home = homeOf({ PROVISIONING_HOME: root });
  return { home, env: await resolveEnvironment(home, { PATH: process.env.PATH, HOME: root }), value, put };
}
