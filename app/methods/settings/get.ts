import * as z from 'zod';
import { editableSetting } from '../../conditions/editables.js';
import { method } from '../../method.js';
import { locateSetting, settingKey, shownSetting } from '../../schemas/setting.js';
import { showSetting } from '../../settings/home-settings.js';

export const getSetting = method({
  name: 'settings.get',
  summary: 'Show a setting of the platform with its value in each layer; values that may contain a password are hidden',
  input: z.strictObject({ key: settingKey }),
  output: shownSetting,
  permission: { action: 'setting:read', resource: locateSetting },
  errors: ['config-key'],
  reads: editableSetting,
  run: ({ engine }, { key }) => showSetting(engine, key),
});
