import { REGISTRY } from '../../../settings/registry/keys.js';
import { isListed, variablesOf } from '../../../settings/registry/registry.js';
import { defineCommand } from '../../command.js';
import { columns } from '../../program/screen.js';
import { valueText } from '../../render/config/texts.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  details:
    'Lists the environment variables of each key with their current values. If both variables of a key are set, the first wins. Fields of taskservs are listed only if they are set.',
  examples: ['config env', 'config env --json'],
  async run(session) {
    const variables = [...REGISTRY.keys.values()].flatMap((key) =>
      variablesOf(key).map((variable) => ({ variable, key, text: session.env[variable] || undefined })),
    );
    const listed = variables.filter(({ key, text }) => isListed(key, text));
    if (session.json) {
      const shown = listed.map(({ variable, key, text }) => ({
        variable,
        key: key.name,
        value: text === undefined ? null : valueText(key, text),
      }));
      writeDocument(session, { variables: shown });
      return 0;
    }
    const rows = listed.map(({ variable, key, text }) => [variable, key.name, valueText(key, text)]);
    session.out.write(`${columns([['VARIABLE', 'KEY', 'VALUE'], ...rows]).join('\n')}\n`);
    return 0;
  },
});
