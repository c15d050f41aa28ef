import * as z from 'zod';
import { method } from '../../method.js';
import { listedSetting } from '../../schemas/setting.js';
import { listSettings } from '../../settings/home-settings.js';

export const listTheSettings = method({
  name: 'settings.list',
  summary: 'List the settings of the platform with their values and layers; values that may contain a password are hidden',
  input: z.strictObject({ setOnly: z.literal(true).optional().describe('Leave out settings that have only a default') }),
  output: z.array(listedSetting),
  permission: { action: 'setting:read', resource: () => ({ type: 'Setting', id: '*' }) },
  errors: ['bad-settings', 'config-scope'],
  run: ({ engine }, input) => listSettings(engine, input),
});
