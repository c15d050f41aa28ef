import { inputError } from '../../core/errors.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import { changeLayer } from '../../settings/edit/change-layer.js';
import type { ConfigPlace } from '../../settings/layers/layers.js';
import { lookAtConfig, resolveConfig, type SettledKey, type Statement } from '../../settings/layers/resolve.js';
import type { Value } from '../../settings/layers/values.js';
import { keyNamed } from '../../settings/registry/key-named.js';
import { isListed, type Key, variablesOf } from '../../settings/registry/registry.js';
import { misfit, typeText } from '../../settings/registry/value-types.js';
import type { Engine } from '../engine.js';
import { homeOfEngine } from '../home-of-engine.js';

/** The settings of the platform: defaults, the file of its home, and the environment of its worker. No folder of a workspace. */
const placeOf = (engine: Engine): ConfigPlace => {
  const { home, env } = homeOfEngine(engine);
  return { home, env };
};

/**
 * All settings, without hidden values. Fields of taskservs are listed only if a layer sets them.
 *
 * @param setOnly only settings that a layer above the defaults sets
 * @throws ConfigError `bad-settings`, `config-scope`
 */
export async function listSettings(engine: Engine, { setOnly }: { setOnly?: boolean | undefined }) {
  const { settled } = await resolveConfig(placeOf(engine));
  return [...settled.values()]
    .filter(({ key, winner }) => isListed(key, winner?.layer))
    .filter(({ winner }) => !setOnly || (winner && winner.layer !== 'defaults'))
    .map(listedOf);
}

/**
 * Returns one setting with the values of all layers, the lowest first. Invalid values of a layer are omitted.
 *
 * @throws inputError `config-key`
 */
export async function showSetting(engine: Engine, name: string) {
  const { settled } = await lookAtConfig(placeOf(engine));
  const one = settled.get(keyNamed(name).name);
  if (!one) throw new Error(`no layer was asked about ${name}`);
  const { key, statements } = one;
  return {
    ...listedOf(one),
    ...{ description: key.description, type: typeText(key.type) },
    ...(key.unit !== undefined && { unit: key.unit }),
    ...(key.otherwise !== undefined && { otherwise: key.otherwise }),
    variables: [...variablesOf(key)],
    statements: statements.map((statement) => ({ ...whereOf(statement), ...shown(key, statement.value) })),
  };
}

/**
 * Sets a setting in the file of the home, or with `undefined` removes it from the file.
 *
 * @throws inputError `config-key`, `config-value`, `config-sealed`; ConfigError `bad-settings`; unreachableError `config-busy`
 */
export async function changeSetting(engine: Engine, name: string, value: Value | undefined) {
  const place = placeOf(engine);
  const key = keyNamed(name);
  const why = value === undefined ? undefined : misfit(key.type, value);
  if (why !== undefined) {
    const hint = key.type.kind === 'choice' ? didYouMean(String(value), key.type.choices) : undefined;
    throw inputError({ code: 'config-value', what: 'set', on: key.name, why, hint });
  }
  const { changed } = await changeLayer(place, 'user', key.name, value);
  const winner = (await lookAtConfig(place)).settled.get(key.name)?.winner;
  return { key: key.name, changed, ...(winner?.layer === 'variables' && { decidedBy: 'variables' as const }) };
}

const listedOf = ({ key, value, winner }: SettledKey) => ({
  ...{ key: key.name, ...shown(key, value), scope: key.scope },
  ...(winner && { decidedBy: whereOf(winner) }),
});

const shown = ({ sensitive }: Key, value: Value | undefined) =>
  value === undefined ? {} : sensitive ? { hidden: true as const } : { value };

type Layer = 'defaults' | 'user' | 'variables';

const whereOf = ({ layer, file, line, variable }: Statement) => ({
  // This place has no other layers.
  layer: layer as Layer,
  ...(file !== undefined && { file }),
  ...(line !== undefined && { line }),
  ...(variable !== undefined && { variable }),
});
