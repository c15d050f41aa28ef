import { resolveConfig, type SettledKey } from '../../../settings/layers/resolve.js';
import { defineCommand } from '../../command.js';
import { columns } from '../../program/screen.js';
import { valueText } from '../../render/config/texts.js';
import { writeDocument } from '../../render/document.js';
import { INFRA_SETTINGS_OPTION } from '../../shared/settings/config-options.js';
import { configPlace } from '../../shared/settings/operation-settings.js';

export const command = defineCommand({
  arguments: [['[environment]', 'another environment of the workspace folder (default: compare with the defaults)']],
  options: [INFRA_SETTINGS_OPTION],
  details: 'Lists the effective settings that differ from the defaults, or from another environment.',
  examples: ['config diff', 'config diff --env prod', 'config diff staging --env prod'],
  async run(session, { args: [environment], flags }) {
    const place = configPlace(session, flags.infra);
    const { settled } = await resolveConfig(place);
    const other = environment === undefined ? undefined : (await resolveConfig({ ...place, environment })).settled;
    const theirs = ({ key }: SettledKey) => (other ? other.get(key.name)?.value : key.default);
    const differ = [...settled.values()].filter((one) => JSON.stringify(one.value) !== JSON.stringify(theirs(one)));
    const lines = differ.map((one) => {
      // A value that is encrypted in either of them is hidden in both.
      const hidden = { sensitive: one.key.sensitive ?? other?.get(one.key.name)?.key.sensitive };
      return { key: one.key.name, from: valueText(hidden, theirs(one)), to: valueText(hidden, one.value) };
    });
    if (session.json) writeDocument(session, { against: environment ?? 'defaults', differences: lines });
    else if (lines.length === 0) session.out.write('no difference\n');
    else session.out.write(`${columns(lines.map(({ key, from, to }) => [key, from, '->', to])).join('\n')}\n`);
    return 0;
  },
});
