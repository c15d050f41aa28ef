import * as z from 'zod';
import { editableSetting } from '../../conditions/editables.js';
import { method } from '../../method.js';
import { changedSetting, chooseSettingAction, locateSetting, SETTING_CHANGES, settingKey } from '../../schemas/setting.js';
import { changeSetting } from '../../settings/home-settings.js';

export const unsetSetting = method({
  name: 'settings.unset',
  summary: "Remove a setting from the platform's settings file: its default applies again",
  input: z.strictObject({ key: settingKey }),
  output: changedSetting,
  permission: { actions: SETTING_CHANGES, action: chooseSettingAction, resource: locateSetting },
  rest: { verb: 'DELETE', path: '/settings/{key}' },
  errors: ['bad-settings', 'config-busy', 'config-key', 'config-sealed', 'settings-former'],
  edits: editableSetting,
  run: ({ engine }, { key }) => changeSetting(engine, key, undefined),
});
