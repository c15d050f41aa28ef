import { relative } from 'node:path';
import type { DefinitionSettings } from '../../definition/defaults/definition-settings.js';
import { resolveConfig, type SettledKey } from '../../settings/layers/resolve.js';
import type { Context } from '../context.js';
import { configPlace } from './config-place.js';

/**
 * Returns the settings for a definition: public ones, without those that may hold a password.
 *
 * @param infra adds the layer of this infra
 * @throws ConfigError `bad-settings`, `config-scope`
 */
export async function definitionSettings(context: Context, environment?: string, infra?: string): Promise<DefinitionSettings> {
  // Outside of a workspace, an environment is only an overlay beside the definition and has no settings.
  const place = configPlace({ ...settingsOf(context), ...(context.folder === undefined ? {} : { environment }) }, infra);
  const { settled } = await resolveConfig(place);
  const open = [...settled.values()].filter(({ key }) => key.scope === 'client' && !key.sensitive);
  return {
    known: new Set(open.map(({ key }) => key.name)),
    values: new Map(open.flatMap(({ key, value }) => (value === undefined ? [] : [[key.name, value]]))),
    said: new Map(open.flatMap((one) => (isSaid(one) ? [[one.key.name, placeText(one)]] : []))),
  };
}

const settingsOf = ({ home, env, folder }: Context) => ({ home, env, folder });

const isSaid = ({ value, winner }: SettledKey): boolean =>
  value !== undefined && winner !== undefined && winner.layer !== 'defaults';

function placeText({ winner }: SettledKey): string {
  const { layer = '', file, line, variable } = winner ?? {};
  if (file === undefined) return variable ?? layer;
  const short = relative('', file);
  return `${short.startsWith('..') ? file : short}${line ? `:${line}` : ''}`;
}
