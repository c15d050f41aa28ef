import * as z from 'zod';
import type { Value } from '../../settings/layers/values.js';
import { REGISTRY } from '../../settings/registry/keys.js';
import type { Resource } from '../principal.js';

export const settingKey = z.string().min(1).max(200).describe('Name of the setting, for example `operation.onFailure`');

/** A value as JSON; `null` is not a value. */
export const settingValue = z
  .union([z.string().max(10_000), z.number(), z.boolean(), z.array(z.unknown()), z.record(z.string(), z.unknown())])
  .describe('JSON value that fits the setting') as z.ZodType<Exclude<Value, null>>;

const statement = {
  layer: z.enum(['defaults', 'user', 'variables']).describe('`user` is the settings file of the home'),
  file: z.string().optional(),
  line: z.int().optional(),
  variable: z.string().optional(),
};

const shownValue = {
  value: z.unknown().optional().describe('Absent if the setting has no value, or if its value is hidden'),
  hidden: z.literal(true).optional().describe('Whether the value may contain a password'),
};

/** A setting as a list shows it. */
export const listedSetting = z.strictObject({
  key: z.string(),
  ...shownValue,
  scope: z.enum(['client', 'engine']),
  decidedBy: z.strictObject(statement).optional().describe('The layer whose value applies'),
});

/** A setting with the values of all layers, the lowest first. */
export const shownSetting = listedSetting.extend({
  description: z.string(),
  type: z.string().describe('Type in words'),
  unit: z.string().optional(),
  otherwise: z.string().optional().describe('Behaviour without a value'),
  variables: z.array(z.string()).describe('Environment variables that set it'),
  statements: z.array(z.strictObject({ ...statement, ...shownValue })),
});

export const changedSetting = z.strictObject({
  key: z.string(),
  changed: z.boolean().describe('Whether the settings file was changed'),
  decidedBy: z.enum(['variables']).optional().describe('The layer that overrides the settings file'),
});

export const locateSetting = ({ key }: { key: string }): Resource => ({ type: 'Setting', id: key });

/**
 * Chooses the action of a change. Settings of the engine name programs, stores and key services, so a change of them
 * can take over the platform. The right to change the behavior of operations does not include them.
 */
export const chooseSettingAction = ({ key }: { key: string }): 'setting:set' | 'setting:set-engine' =>
  REGISTRY.keys.get(key)?.scope === 'client' ? 'setting:set' : 'setting:set-engine';

export const SETTING_CHANGES = ['setting:set', 'setting:set-engine'] as const;
