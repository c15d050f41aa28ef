import { REGISTRY } from '../../../settings/registry/keys.js';
import { variablesOf } from '../../../settings/registry/registry.js';
import { typeText } from '../../../settings/registry/value-types.js';
import { defineCommand } from '../../command.js';
import { columns } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  details: 'Every setting: its type, its default or what holds without a value, its scope, and what it is.',
  examples: ['config keys', 'config keys --json'],
  async run(session) {
    const keys = [...REGISTRY.keys.values()];
    if (session.json) {
      writeDocument(session, { keys: keys.map(({ former: _, alias: __, ...key }) => ({ ...key, variables: variablesOf(key) })) });
      return 0;
    }
    const rows = keys.map((key) => [
      key.name,
      key.default === undefined ? (key.otherwise ?? '') : String(key.default),
      key.scope,
      `${key.description} (${typeText(key.type)}${key.unit ? `, ${key.unit}` : ''})`,
    ]);
    session.out.write(`${columns([['KEY', 'DEFAULT', 'SCOPE', 'WHAT'], ...rows]).join('\n')}\n`);
    return 0;
  },
});
