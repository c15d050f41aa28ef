import { lookAtConfig } from '../../../settings/layers/resolve.js';
import { keyNamed } from '../../../settings/registry/key-named.js';
import { variablesOf } from '../../../settings/registry/registry.js';
import { typeText } from '../../../settings/registry/value-types.js';
import { defineCommand } from '../../command.js';
import { columns } from '../../program/screen.js';
import { createSettledDocument, placeText, statementDocument, valueText } from '../../render/config/texts.js';
import { writeDocument } from '../../render/document.js';
import { INFRA_SETTINGS_OPTION } from '../../shared/settings/config-options.js';
import { configPlace } from '../../shared/settings/operation-settings.js';

export const command = defineCommand({
  arguments: [['<key>', 'key, as `config keys` lists it']],
  options: [INFRA_SETTINGS_OPTION],
  details: 'Shows the value of a key in each layer with file and line, from the lowest layer up, and the layer that wins.',
  examples: ['config explain operation.onFailure --env prod', 'config explain engine.namespace --json'],
  async run(session, { args: [name], flags }) {
    const { settled, problems } = await lookAtConfig(configPlace(session, flags.infra));
    const one = settled.get(keyNamed(name).name);
    if (!one) return 0;
    // For a value from an encrypted file, this key is known to be hidden.
    const { key, statements, winner, value } = one;
    const variables = variablesOf(key);
    if (session.json) {
      const said = statements.map((statement) => statementDocument(key, statement, statement === winner));
      const { type, description, unit, scope } = key;
      writeDocument(session, { ...createSettledDocument(one), description, type, unit, scope, variables, statements: said });
    } else {
      const rows = statements.map((statement) => [
        statement === winner ? '*' : ' ',
        placeText(session, statement),
        'value' in statement ? valueText(key, statement.value) : 'taken away',
      ]);
      session.out.write(
        [
          `${key.name} = ${valueText(key, value)}${value === undefined && key.otherwise ? `  (${key.otherwise})` : ''}`,
          `${key.description} (${typeText(key.type)}${key.unit ? `, ${key.unit}` : ''})`,
          `scope ${key.scope}; ${variables.join(', ')}`,
          ...(rows.length === 0 ? ['no layer says anything of it'] : columns(rows)),
          '',
        ].join('\n'),
      );
    }
    if (problems.length > 0) session.note(`note: ${problems.length} problems were left out: provisioning config validate`);
    return 0;
  },
});
