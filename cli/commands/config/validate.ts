import { EXIT } from '../../../core/exit-codes.js';
import { configProblemText } from '../../../settings/config-error.js';
import { lookAtConfig } from '../../../settings/layers/resolve.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { INFRA_SETTINGS_OPTION } from '../../shared/settings/config-options.js';
import { configPlace } from '../../shared/settings/operation-settings.js';

export const command = defineCommand({
  options: [INFRA_SETTINGS_OPTION],
  details: 'Reports every error in all layers, with its position and, if possible, a suggestion.',
  examples: ['config validate', 'config validate --env prod --infra shop'],
  async run(session, { flags }) {
    const { problems, layers } = await lookAtConfig(configPlace(session, flags.infra));
    const files = layers.map(({ file }) => file);
    if (session.json) writeDocument(session, { valid: problems.length === 0, files, problems });
    else if (problems.length === 0) session.out.write(`valid: ${files.length === 0 ? 'no files' : files.join(', ')}\n`);
    else session.err.write(problems.map((problem) => `${configProblemText(problem)}\n`).join(''));
    return problems.length === 0 ? EXIT.done : EXIT.badInput;
  },
});
