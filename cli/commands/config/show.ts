import { resolveConfig } from '../../../settings/layers/resolve.js';
import { isListed } from '../../../settings/registry/registry.js';
import { defineCommand } from '../../command.js';
import { columns } from '../../program/screen.js';
import { createSettledDocument, placeText, valueText } from '../../render/config/texts.js';
import { writeDocument } from '../../render/document.js';
import { INFRA_SETTINGS_OPTION } from '../../shared/settings/config-options.js';
import { configPlace } from '../../shared/settings/operation-settings.js';

export const command = defineCommand({
  options: [INFRA_SETTINGS_OPTION, { flags: '--set-only', about: 'only values that a layer sets, without defaults' }],
  details:
    'Shows each key with its value and its layer. Fields of taskservs are listed only if a layer sets them. Values that may contain a password are hidden.',
  examples: ['config show', 'config show --env prod --infra shop', 'config show --json'],
  async run(session, { flags }) {
    const { settled } = await resolveConfig(configPlace(session, flags.infra));
    const listed = [...settled.values()].filter(({ key, winner }) => isListed(key, winner?.layer));
    const all = listed.filter(({ winner }) => !flags.setOnly || (winner && winner.layer !== 'defaults'));
    if (session.json) {
      writeDocument(session, { settings: all.map(createSettledDocument) });
      return 0;
    }
    const rows = all.map(({ key, value, winner }) => [
      key.name,
      valueText(key, value),
      winner ? placeText(session, winner) : (key.otherwise ?? ''),
    ]);
    session.out.write(
      rows.length === 0 ? 'no layer says anything\n' : `${columns([['KEY', 'VALUE', 'FROM'], ...rows]).join('\n')}\n`,
    );
    return 0;
  },
});
