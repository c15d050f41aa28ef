import type { Context } from '../../authoring/context.js';
import type { KeyPlace } from '../../encryption/keys.js';
import { resolveEnvironment } from '../../settings/settings.js';
import { keyPlaceIn } from '../../stores/files/key-place.js';

/** Returns the place of a home's keys, with the key service that its settings name. */
export const findKeyPlace = async ({ home, env }: Pick<Context, 'home' | 'env'>): Promise<KeyPlace> =>
  keyPlaceIn(home, await resolveEnvironment(home, env));
