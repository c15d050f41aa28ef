import * as z from 'zod';
import { editableSetting } from '../../conditions/editables.js';
import { method } from '../../method.js';
import {
  changedSetting,
  chooseSettingAction,
  locateSetting,
  SETTING_CHANGES,
  settingKey,
  settingValue,
} from '../../schemas/setting.js';
import { changeSetting } from '../../settings/home-settings.js';

export const setSetting = method({
  name: 'settings.set',
  summary: "Set a setting in the platform's settings file; a running worker reads most settings of the engine at its next start",
  input: z.strictObject({ key: settingKey, value: settingValue }),
  output: changedSetting,
  permission: { actions: SETTING_CHANGES, action: chooseSettingAction, resource: locateSetting },
  rest: { verb: 'PUT', path: '/settings/{key}' },
  errors: ['bad-settings', 'config-busy', 'config-key', 'config-sealed', 'config-value', 'settings-former'],
  edits: editableSetting,
  run: ({ engine }, { key, value }) => changeSetting(engine, key, value),
});
